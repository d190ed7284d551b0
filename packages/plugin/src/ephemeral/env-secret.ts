import { ErrandError } from '@errand/contract';

const prefix = 'secret://env/';

/** The executing side resolves references with what it has; a plugin has the variables that its host gave it. */
export async function envSecret(env: Readonly<Record<string, string | undefined>>, reference: string): Promise<string> {
  const name = reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
  const value = name !== undefined && Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined) return value;
  const why = name === undefined ? 'only secret://env/NAME is known to a plugin' : `the plugin has no variable ${name}`;
  throw new ErrandError('secret/missing', `tried to get the secret ${reference}: ${why}`, {
    next: `Write ${prefix}NAME, and set the variable where the plugin’s host runs.`,
  });
}
