import type { Ask, Seen } from '@errand/contract';
import { recordIn } from './host.ts';
import { onEach } from './hosts.ts';
import type { Host, Hosts } from './hosts.ts';
import { jobHandle } from './layout.ts';
import { accountOf, text } from './options.ts';
import { asking, trying } from './remote.ts';

export function find(hosts: Hosts, owner: string, ask: Ask): AsyncGenerator<Seen<'job'>> {
  return onEach(hosts, (host) => jobsOn(host, owner, ask));
}

/** A job may have another owner than its place, so all are listed and looked through here. */
async function* jobsOn({ options, remote }: Host, owner: string, ask: Ask): AsyncGenerator<Seen<'job'>> {
  const answer = await trying(`tried to list the jobs on ${accountOf(remote.target)}`, () =>
    asking(remote, 'find', [], ask.signal),
  );
  for (const line of answer.split('\n')) {
    const match = /^([01]) (\d+) (\S+) (\S+) (\S+) (.*)$/.exec(line);
    const record = match && recordIn(match[6]);
    if (!match || text(record, 'owner') !== owner) continue;
    const [, alive, expiresAt, home = '', place = '', job = ''] = match;
    yield {
      key: text(record, 'key') ?? '',
      handle: jobHandle({ options, owner: home, place, job }),
      expiresAt: Number(expiresAt),
      alive: alive === '1',
    };
  }
}
