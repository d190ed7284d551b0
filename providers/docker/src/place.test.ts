import { expect, test } from 'vitest';
import type { Volume } from './client.ts';
import { jobHandle, jobState, label, nameOf, ownLabels, placeHandle, placeState } from './layout.ts';
import { labelsIn, placeFrom } from './place.ts';

const base = { name: 'errand-k', owner: 'o', key: 'k' };
const volume = (name: string, role: Parameters<typeof labelsIn>[1], more = {}): Volume => ({
  name,
  labels: labelsIn(base, role, more),
});
const record = volume('errand-k', 'place', {
  [label.epoch]: '2',
  [label.expires]: '1000',
  [label.image]: 'i',
  [label.workdir]: '/w',
});
const marker = (role: 'epoch' | 'expires', value: number) =>
  volume(`errand-k.${role}-${value}`, role, { [label.value]: `${value}` });

test('fence and expiry are the highest that anybody wrote', () => {
  const place = placeFrom('errand-k', [
    marker('epoch', 5),
    record,
    marker('epoch', 3),
    marker('expires', 900),
    marker('expires', 4_000),
  ]);
  expect(place).toMatchObject({ epoch: 5, expiresAt: 4_000, standing: true, work: 'errand-k', image: 'i', workdir: '/w' });
  expect(placeFrom('errand-k', [record])).toMatchObject({ epoch: 2, expiresAt: 1_000 });
});

test('the workspace is the latest that was made current', () => {
  const current = (value: number, work: string) =>
    volume(`errand-k.current-${value}`, 'current', { [label.value]: `${value}`, [label.work]: work });
  const volumes = [record, current(9, 'errand-k.work-a'), current(10, 'errand-k.work-b'), volume('errand-k.work-b', 'work')];
  expect(placeFrom('errand-k', volumes)).toMatchObject({ work: 'errand-k.work-b', standing: true });
});

test('leftovers and accidents are no place, and nothing is none', () => {
  expect(placeFrom('errand-k', [])).toBeUndefined();
  expect(placeFrom('errand-k', [marker('epoch', 5)])).toMatchObject({ standing: false, key: 'k', owner: 'o', epoch: 5 });
  expect(placeFrom('errand-k', [volume('errand-k', 'accident')])).toMatchObject({ standing: false, key: 'k' });
});

test('names: plain keys stay readable, others are hashed, and no two kinds meet', () => {
  expect(nameOf('lease-01ABC_x')).toBe('errand-lease-01ABC_x');
  for (const odd of ['a.b', 'ü', '', 'x'.repeat(200), '../x', 'k.epoch-1']) expect(nameOf(odd)).toMatch(/^errand\.[0-9a-f]{64}$/);
});

test('a handle that somebody bent leads nowhere', () => {
  const place = placeHandle({ engine: 'unix:///s', place: 'errand-k' });
  expect(placeState(JSON.parse(JSON.stringify(place)) as typeof place)).toEqual({ engine: 'unix:///s', place: 'errand-k' });
  expect(placeState({ ...place, state: { engine: 'unix:///s', place: '../../etc' } })).toBeUndefined();
  expect(placeState({ ...place, state: null })).toBeUndefined();
  const job = jobHandle({ engine: 'unix:///s', place: 'errand-k', job: 'errand-j' });
  expect(jobState({ ...job, state: { engine: 'unix:///s', place: 'errand-k', job: 'somebody-elses' } })).toBeUndefined();
});

test('a caller’s labels cannot pass for ours', () => {
  expect(ownLabels({ team: 'x', 'errand.owner': 'forged' })).toEqual({ team: 'x' });
});
