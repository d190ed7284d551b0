import { existsSync } from 'node:fs';
import { ErrandError } from '@errand/contract';
import type { Handle, JobSpec, SecretCall } from '@errand/contract';
import type { Hosts } from './hosts.ts';
import { cancelledFile } from './job.ts';
import { jobHandle, nameOf, placeState } from './layout.ts';
import { trying } from './remote.ts';
import { jobRequest, refuseUnrunnable } from './request.ts';

/** Safe to repeat with the same key at any time, from any process: the far side lets one keeper take the job on. */
export async function start(hosts: Hosts, spec: JobSpec, call: SecretCall): Promise<Handle<'job'>> {
  refuseUnrunnable(spec);
  const place = placeState(spec.place);
  if (!place) {
    throw new ErrandError(
      'provider/failed',
      `tried to start the job ${call.key}: SSH jobs run inside a place, and none was given`,
      {
        next: 'Acquire a place first.',
      },
    );
  }
  const state = { ...place, job: nameOf(call.key) };
  const secrets: Record<string, string> = {};
  for (const [name, reference] of Object.entries(spec.secretEnv)) {
    const value = await call.secret(reference);
    if (value.includes('\0'))
      throw new ErrandError('secret/refused', `the secret ${name} holds a NUL byte, which no program can receive`);
    secrets[name] = value;
  }
  const { remote } = hosts.at(place.options);
  const cancelled = existsSync(cancelledFile(hosts.home, state.job)) ? 1 : 0;
  const args = [state.owner, state.place, state.job, call.epoch, Math.ceil(spec.timeout ?? 0), Math.ceil(spec.grace), cancelled];
  const input = jobRequest(spec, call.key, secrets);
  await trying(`tried to start the job ${call.key}`, () => remote.call('start', args, { input, signal: call.signal }));
  return jobHandle(state);
}
