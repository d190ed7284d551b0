import { cookie } from '../handshake/cookie.ts';

/** Undefined when a host launched us; otherwise what to tell the person who did. */
export function refusalByHand(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env[cookie.name] === cookie.value) return undefined;
  return [
    `${name} is a provider plugin. It is launched by Errand or another host of the same protocol, and does nothing by hand.`,
    '  next: Put its directory into the `plugin` of a provider in errand.yaml and run `errand provider lock`,',
    '        or try it with `errand provider test DIRECTORY`.',
  ].join('\n');
}
