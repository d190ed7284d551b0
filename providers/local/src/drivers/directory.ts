import { chmodSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { Driver, ResourceOutput, ResourceRef, ResourceSpec, SecretCall } from '@errand/contract';
import { z } from 'zod';
import { codeOf, fileError, isAbsent } from '../files.ts';
import { removeTree } from '../remove.ts';
import { comparedMode, comparedPath, diffOf, modeText, octal, readConfig, textIn } from './config.ts';
import { clearWay, look, makeWay, placeOf } from './paths.ts';
import type { MadeRecord, Records } from './records.ts';

const type = 'local.directory';
const defaultMode = '0755';

export const directorySchema = z.strictObject({
  path: z.string().min(1).describe('Relative to the file that declares it.'),
  mode: modeText.optional().describe(`Default: "${defaultMode}".`),
  force: z.boolean().optional().describe('Delete it with everything in it. Default: false, only when it is empty.'),
});

export function directoryDriver(root: string, records: Records): Driver {
  const recordOf = ({ name, providerId }: ResourceRef) =>
    providerId === undefined ? records.find(type, root, name) : records.get(providerId);

  function read(ref: ResourceRef): ResourceOutput | undefined {
    const path = ref.providerId ?? recordOf(ref)?.id;
    if (path === undefined || !look(path)?.isDirectory()) return undefined;
    return outputOf(ref.name, path, records.get(path));
  }

  function create(spec: ResourceSpec, call: SecretCall): ResourceOutput {
    const { path: written, mode = defaultMode, force = false } = readConfig(directorySchema, spec);
    const path = placeOf(root, written);
    const known = records.get(path);
    // After a crash before it was recorded as made, one with something in it cannot be ours: nobody was told of it.
    const ours = known?.key === call.key && (known.status === 'made' || isEmpty(path));
    if (look(path) && !ours) throw conflict(path, known);
    const record: MadeRecord = { type, root, name: spec.name, key: call.key, id: path, status: 'making', force };
    if (!(look(path) && known?.status === 'made')) {
      records.put(record);
      make(record, mode);
      records.put({ ...record, status: 'made' });
    }
    return outputOf(spec.name, path, records.get(path));
  }

  function make({ id }: MadeRecord, mode: string): void {
    for (let tries = 0; ; tries++) {
      try {
        makeWay(records, dirname(id));
        mkdirSync(id);
        break;
      } catch (error) {
        if (codeOf(error) === 'EEXIST' && isEmpty(id)) break;
        if (isAbsent(error) && tries < 3) continue;
        throw fileError(`tried to make the directory ${id}`, error);
      }
    }
    chmodSync(id, Number.parseInt(mode, 8));
  }

  return {
    configKeys: Object.keys(directorySchema.shape),
    read: async (ref, ask) => (ask.signal.throwIfAborted(), read(ref)),
    diff: async ({ config: { path, mode = defaultMode, force = false } }, { outputs }) =>
      diffOf([
        ['path', outputs['path'], comparedPath(root, path), true],
        ['mode', outputs['mode'], comparedMode(mode), false],
        ['force', outputs['force'], force, false],
      ]),
    create: async (spec, call) => (call.signal.throwIfAborted(), create(spec, call)),
    update: async (ref, spec, call) => {
      call.signal.throwIfAborted();
      const { path: written, mode = defaultMode, force = false } = readConfig(directorySchema, spec);
      const path = placeOf(root, written);
      if (!read(ref)) throw new ErrandError('provider/not-found', `tried to update the directory ${path}: it is gone`);
      const known = records.get(path);
      chmodSync(path, Number.parseInt(mode, 8));
      if (known) records.put({ ...known, force });
      return outputOf(spec.name, path, records.get(path));
    },
    delete: async (ref, call) => {
      call.signal.throwIfAborted();
      const record = recordOf(ref);
      if (!record) {
        if (ref.providerId !== undefined && look(ref.providerId))
          call.log(`left ${ref.providerId} in place: it was not made here`);
        return;
      }
      await remove(record);
      clearWay(records, dirname(record.id));
      records.remove(record.id);
    },
    adopt: (spec) => {
      const path = textIn(spec.config, 'path');
      return path === undefined ? undefined : { name: spec.name, type, providerId: placeOf(root, path) };
    },
  };
}

async function remove({ id, force, status }: MadeRecord): Promise<void> {
  if (!look(id)?.isDirectory()) return;
  if (force === true && status === 'made') return removeTree(id);
  try {
    rmdirSync(id);
  } catch (error) {
    if (isAbsent(error)) return;
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST')
      throw fileError(`tried to remove the directory ${id}`, error);
    throw new ErrandError('provider/refused', `tried to remove the directory ${id}: there is something in it`, {
      next: 'Empty it, or apply `force: true` to it first.',
      cause: error,
    });
  }
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

function conflict(path: string, known: MadeRecord | undefined): ErrandError {
  const whose = known ? `it belongs to ${known.name}` : 'it is there, and was not made here';
  return new ErrandError('provider/conflict', `tried to make the directory ${path}: ${whose}`, {
    next: 'Choose another path, or let the resource adopt it (`adopt: true`).',
  });
}

function outputOf(name: string, path: string, record: MadeRecord | undefined): ResourceOutput {
  const mode = octal(look(path)?.mode ?? 0);
  const outputs = { id: path, path, mode, force: record?.force === true };
  return { name, type, providerId: path, outputs, sensitive: [], status: 'present' };
}
