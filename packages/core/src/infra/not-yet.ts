import type { Plan } from '../model/infra/plan.ts';
import type { Stack } from '../model/infra/stack.ts';
import { readFile, writeFile } from 'node:fs/promises';

export const writePlan = (path: string, plan: Plan): Promise<void> => writeFile(path, JSON.stringify(plan), { mode: 0o600 });
export const readPlan = async (path: string): Promise<Plan> => JSON.parse(await readFile(path, 'utf8')) as Plan;
export const stackDot = (stack: Stack): string => `digraph ${stack.name} {}\n`;
export const stackSvg = (stack: Stack): string => `<svg>${stack.name}</svg>\n`;
