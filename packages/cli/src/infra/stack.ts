import type { InfraStack } from '@errand/core';
import type { Context } from '../context.ts';
import type { Arguments } from '../parse.ts';

/** Opens the stack of `--env` for one piece of work and lets go of it afterwards. */
export async function withStack<T>(
  context: Context,
  args: Pick<Arguments, 'text'>,
  work: (stack: InfraStack) => Promise<T>,
): Promise<T> {
  return withNamedStack(context, args.text('env'), work);
}

export async function withNamedStack<T>(
  context: Context,
  env: string | undefined,
  work: (stack: InfraStack) => Promise<T>,
): Promise<T> {
  await using runtime = await context.open({ recover: false });
  await using stack = await runtime.infra(env === undefined ? {} : { env });
  return await work(stack);
}
