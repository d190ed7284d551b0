// Saved plans. They hold no plaintext of a secret, but they do hold configs: only their owner may read them. The digest in
// them is against a file that was edited or mixed up, not against an attacker, who could make a new one.
import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { ErrandError } from '@errand/contract';
import type { Plan } from '../../model/infra/plan.ts';
import { circleIn, sortGraph } from '../declare/graph.ts';

/** Whole or not at all: the file appears under its name when it is on the disk. */
export async function writePlan(path: string, plan: Plan): Promise<void> {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await using file = await open(draft, 'wx', 0o600);
    await file.writeFile(`${JSON.stringify({ ...plan, digest: digestOf(plan) }, null, 2)}\n`);
    await file.sync();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const code = codeOf(error);
    throw new ErrandError(code === 'ENOSPC' ? 'disk/full' : 'usage/invalid', `cannot write the plan to ${path}: ${code}`, {
      next: 'Name another file; the plan can be made again.',
      cause: error,
    });
  }
}

/** Throws `infra/invalid` saying what is wrong with the file. */
export async function readPlan(path: string): Promise<Plan> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw unusable(
      path,
      codeOf(error) === 'ENOENT' ? 'there is no such file' : codeOf(error),
      'Name a file that was written with --out.',
    );
  }
  return parsePlan(text, path);
}

export async function parsePlan(text: string, path: string): Promise<Plan> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw unusable(path, 'it is not JSON, or was cut off');
  }
  const format = typeof data === 'object' && data !== null && 'format' in data ? data.format : undefined;
  if (typeof format === 'number' && format > 1) {
    throw unusable(
      path,
      `its format is ${format}, and this version of Errand reads 1`,
      'Use the version of Errand that wrote it.',
    );
  }
  const { planSchema } = await import('./file-schema.ts');
  const parsed = planSchema.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const more = parsed.error.issues.length - 1;
    throw unusable(path, `${issue?.path.join('.') || 'it'}: ${issue?.message}${more > 0 ? ` (and ${more} more)` : ''}`);
  }
  const problem = orderProblem(parsed.data as Plan);
  if (problem !== undefined) throw unusable(path, problem);
  const { digest, ...plan } = data as Plan & { readonly digest?: unknown };
  if (digest !== digestOf(plan)) throw unusable(path, 'it was edited since it was written');
  return plan;
}

function digestOf(plan: Plan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}

/** Apply walks the steps as they are; a plan that was edited must not send it in circles. */
function orderProblem(plan: Plan): string | undefined {
  const graph = new Map<string, readonly string[]>();
  const resources = new Set<string>();
  for (const action of plan.actions) {
    if (resources.has(action.resource)) return `there are two actions for '${action.resource}'`;
    resources.add(action.resource);
    for (const { id, after } of action.steps) {
      if (graph.has(id)) return `the step '${id}' is there twice`;
      graph.set(id, after);
    }
  }
  for (const [id, after] of graph) {
    const missing = after.find((one) => !graph.has(one));
    if (missing !== undefined) return `the step '${id}' waits for '${missing}', which is not there`;
  }
  const circle = circleIn(graph, sortGraph(graph).left);
  return circle && `the steps wait for each other: ${circle.join(' → ')}`;
}

function unusable(path: string, why: string, next = 'Make the plan again with --out.'): ErrandError {
  return new ErrandError('infra/invalid', `cannot use the plan file ${path}: ${why}`, { next });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
