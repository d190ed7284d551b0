// The other side of the infrastructure figures: ten blocks of `terraform_data` on the local backend.
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { time } from './command.ts';

const blocks = 10;

export interface Terraform {
  readonly plan: () => Promise<number>;
  readonly apply: () => Promise<number>;
}

export function hasTerraform(): boolean {
  return spawnSync('terraform', ['version']).error === undefined;
}

export async function terraform(directory: string, count: number): Promise<Terraform> {
  await mkdir(directory, { recursive: true });
  const block = (index: number) =>
    `resource "terraform_data" "r${index}" {\n  count = ${count / blocks}\n  input = "v1-\${count.index}"\n}\n`;
  await writeFile(join(directory, 'main.tf'), Array.from({ length: blocks }, (_, index) => block(index)).join(''));
  const run = (...args: readonly string[]) =>
    time({ argv: ['terraform', ...args], cwd: directory, env: { ...process.env, CHECKPOINT_DISABLE: '1' }, stdio: 'ignore' });
  await run('init', '-input=false');
  return {
    plan: () => run('plan', '-input=false'),
    apply: () => run('apply', '-input=false', '-auto-approve', '-parallelism=10'),
  };
}

interface TerraformState {
  readonly resources: { readonly instances: { attributes: Record<string, unknown>; index_key: number }[] }[];
}

/** The state after an apply of `count`, made from that of a small one: Terraform itself would take a quarter of an hour. */
export async function growState(from: string, to: string, count: number): Promise<void> {
  const state = JSON.parse(await readFile(join(from, 'terraform.tfstate'), 'utf8')) as TerraformState;
  const id = (block: number, index: number) => `00000000-0000-4000-8000-${String(block * 1e6 + index).padStart(12, '0')}`;
  const resources = state.resources.map((resource, block) => {
    const [sample] = resource.instances;
    if (!sample) throw new Error('terraform applied nothing');
    const instance = (index: number) => {
      const value = `v1-${index}`;
      const attributes = { ...sample.attributes, id: id(block, index), input: typed(sample.attributes['input'], value) };
      return { ...sample, index_key: index, attributes: { ...attributes, output: typed(sample.attributes['output'], value) } };
    };
    return { ...resource, instances: Array.from({ length: count / blocks }, (_, index) => instance(index)) };
  });
  await writeFile(join(to, 'terraform.tfstate'), JSON.stringify({ ...state, resources }));
}

/** A value of any type is kept together with its type. */
function typed(sample: unknown, value: string): unknown {
  return typeof sample === 'object' && sample !== null ? { ...sample, value } : value;
}
