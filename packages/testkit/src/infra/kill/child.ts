// The process that dies: plans and applies the stack in ERRAND_KILL. Says `applying` right before, and `applied` after.
import { writeSync } from 'node:fs';
import type { FakeRule } from '../fake-infra.ts';
import { openStack } from './stack.ts';
import type { StackHome } from './stack.ts';

const { rules, ...home } = JSON.parse(process.env['ERRAND_KILL'] ?? '') as StackHome & { readonly rules: readonly FakeRule[] };
const { stack, runtime } = await openStack(home, rules);
const plan = await stack.plan();
writeSync(1, 'applying\n');
await stack.apply(plan);
writeSync(1, 'applied\n');
await stack[Symbol.asyncDispose]();
await runtime[Symbol.asyncDispose]();
