import { expect } from 'vitest';
import { holder, leaseThatIs, newRun } from './samples.ts';
import { openMany, refusal } from './scenario.ts';
import type { StoreScenario } from './scenario.ts';

export const fencing: StoreScenario = {
  name: 'after a claim, every write of the old watcher is refused and changes nothing',
  run: async (bed) => {
    const [old, fresh] = [await bed.open(), await bed.open()];
    await old.openRun(newRun('run-1'));
    const claimed = await fresh.claimRun('run-1', 1, holder(2), 2_000, 5);
    expect(claimed).toMatchObject({ epoch: 2, holder: holder(2), heldUntil: 2_000 });
    const told = (await old.events({})).length;
    expect(await refusal(old.advanceRun('run-1', 1, 'lease', { lease: 'x' }, 6))).toBe('run/fenced');
    expect(await refusal(old.noteRun('run-1', 1, { problem: 'x' }, 6))).toBe('run/fenced');
    expect(await refusal(old.beatRun('run-1', 1, 9_000))).toBe('run/fenced');
    expect(await refusal(old.letGoRun('run-1', 1))).toBe(undefined);
    // An epoch that nobody was given is no better than an old one.
    expect(await refusal(old.advanceRun('run-1', 3, 'lease', {}, 6))).toBe('run/fenced');
    expect(await fresh.run('run-1')).toStrictEqual(claimed);
    expect((await old.events({})).length).toBe(told);
    expect(await fresh.advanceRun('run-1', 2, 'lease', {}, 7)).toMatchObject({ status: 'leasing', epoch: 2 });
  },
};

export const claimRace: StoreScenario = {
  name: 'of 16 claims of what all saw the same, one wins',
  run: async (bed) => {
    const store = await openMany(bed, 4);
    await store(0).openRun(newRun('run-1'));
    const claims = await Promise.all(
      Array.from({ length: 16 }, (_, turn) => store(turn).claimRun('run-1', 1, holder(100 + turn), 5, 5)),
    );
    const won = claims.filter((claim) => claim !== undefined);
    expect(won.length).toBe(1);
    expect(await store(1).run('run-1')).toStrictEqual(won[0]);
    expect((await store(2).events({ id: 'run-1' })).map((event) => event.type)).toStrictEqual(['opened', 'claimed']);
  },
};

export const claimClosed: StoreScenario = {
  name: 'a closed run is not claimed; one that was let go is',
  run: async (bed) => {
    const store = await bed.open();
    await store.openRun(newRun('run-1'));
    await store.letGoRun('run-1', 1);
    expect(await store.run('run-1')).toMatchObject({ holder: undefined, heldUntil: 0, epoch: 1, status: 'queued' });
    expect(await store.claimRun('run-1', 1, holder(2), 5, 5)).toMatchObject({ epoch: 2 });
    await store.advanceRun('run-1', 2, 'end', {}, 6);
    await store.advanceRun('run-1', 2, 'close', {}, 7);
    expect(await store.claimRun('run-1', 2, holder(3), 9, 8)).toBe(undefined);
    expect(await store.run('run-1')).toMatchObject({ epoch: 2, holder: holder(2) });
  },
};

export const claimRaisesLease: StoreScenario = {
  name: 'a claim raises the epoch of the lease that the run holds, and of no other',
  run: async (bed) => {
    const [old, fresh] = [await bed.open(), await bed.open()];
    await old.openRun(newRun('run-1'));
    const mine = await leaseThatIs(old, 'active', 'lease-1', { run: 'run-1' });
    const others = await leaseThatIs(old, 'active', 'lease-2', { run: 'run-2' });
    const over = await leaseThatIs(old, 'released', 'lease-3', { run: 'run-1' });
    expect(await fresh.claimRun('run-1', 0, holder(2), 5, 5)).toBe(undefined);
    expect(await fresh.lease('lease-1')).toStrictEqual(mine);
    await fresh.claimRun('run-1', 1, holder(2), 5, 5);
    expect(await old.lease('lease-1')).toStrictEqual({ ...mine, epoch: 2 });
    expect(await old.lease('lease-2')).toStrictEqual(others);
    expect(await old.lease('lease-3')).toStrictEqual(over);
    expect(await refusal(old.advanceLease('lease-1', 1, 'renewed', { expiresAt: 9 }, 6))).toBe('lease/fenced');
    expect(await refusal(old.advanceLease('lease-1', 1, 'release', {}, 6))).toBe('lease/fenced');
    expect(await fresh.advanceLease('lease-1', 2, 'release', {}, 6)).toMatchObject({ status: 'releasing', epoch: 2 });
  },
};
