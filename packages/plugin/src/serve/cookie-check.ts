import { cookie } from '../handshake/cookie.ts';

/** Undefined when a host launched us; otherwise what to tell the person who did. */
export function refusalByHand(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env[cookie.name] === cookie.value) return undefined;
  return [
    `${name} is a provider plugin. It is launched by Errand or another host of the same protocol, and does nothing by hand.`,
    '  next: Name its directory under providers: in errand.yaml, and pin it with: errand provider lock',
  ].join('\n');
}
