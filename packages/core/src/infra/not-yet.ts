import type { Stack } from '../model/infra/stack.ts';

export const stackDot = (stack: Stack): string => `digraph ${stack.name} {}\n`;
export const stackSvg = (stack: Stack): string => `<svg>${stack.name}</svg>\n`;
