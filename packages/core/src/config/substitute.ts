import type { Diagnostic } from '@errand/contract';
import { didYouMean } from '../base/distance.ts';
import { mapScalars, type Scalar, type Tree } from './tree.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** `$${env:` is the escape; `${env:NAME}` and `${env:NAME:-default}` are replaced; the last form is a mistake. */
const pattern = /\$\$\{env:|\$\{env:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{env:/g;

/** Replaces variables in every string of the tree. What comes out is always text and is not looked at again. */
export function substitute(
  tree: Tree,
  file: string,
  env: Env,
): { readonly tree: Tree; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];

  function replace(scalar: Scalar): Scalar {
    if (typeof scalar.value !== 'string' || !scalar.value.includes('${env:')) return scalar;
    const report = (message: string, hint: string) => diagnostics.push({ severity: 'error', message, file, ...scalar.at, hint });
    const value = scalar.value.replace(pattern, (found, name?: string, fallback?: string) => {
      if (found === '$${env:') return '${env:';
      if (name === undefined) {
        report(
          '`${env:` is not followed by a variable name and `}`',
          'Write ${env:NAME} or ${env:NAME:-default}; $${env: stands for the text itself.',
        );
        return '';
      }
      const set = Object.hasOwn(env, name) ? env[name] : undefined;
      // As in a shell, `:-` also stands in for a variable that is set to nothing.
      if (fallback !== undefined) return set ? set : fallback;
      if (set !== undefined) return set;
      const close = didYouMean(name, Object.keys(env));
      report(
        `the environment variable ${name} is not set`,
        `Set it, or write \${env:${name}:-default}${close ? `; ${close}` : '.'}`,
      );
      return '';
    });
    return { ...scalar, value };
  }

  return { tree: mapScalars(tree, replace), diagnostics };
}
