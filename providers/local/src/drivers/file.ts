import { chmodSync, linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { Driver, ResourceOutput, ResourceRef, ResourceSpec, SecretCall } from '@errand/contract';
import { z } from 'zod';
import { codeOf, fileError, isAbsent, temporaryName } from '../files.ts';
import { comparedMode, comparedPath, diffOf, modeText, octal, readConfig, textIn } from './config.ts';
import { clearWay, look, makeWay, placeOf } from './paths.ts';
import { sha256 } from './records.ts';
import type { MadeRecord, Records } from './records.ts';

const type = 'local.file';
const defaultMode = '0644';

export const fileSchema = z.strictObject({
  path: z.string().min(1).describe('Relative to the file that declares it.'),
  content: z.string().describe('Text, or one secret:// reference.'),
  mode: modeText.optional().describe(`Default: "${defaultMode}".`),
});

export function fileDriver(root: string, records: Records): Driver {
  const recordOf = ({ name, providerId }: ResourceRef) =>
    providerId === undefined ? records.find(type, root, name) : records.get(providerId);

  function read(ref: ResourceRef): ResourceOutput | undefined {
    const path = ref.providerId ?? recordOf(ref)?.id;
    if (path === undefined || !look(path)?.isFile()) return undefined;
    const record = records.get(path);
    // Of a crash: what is there came from somebody else.
    if (record && record.status !== 'made' && !isOurs(record)) return undefined;
    return outputOf(ref.name, path, record);
  }

  /** Where it is placed only if nothing is there, and by a rename where it is known to be ours. */
  function write(record: MadeRecord, content: string, mode: string, over: boolean): void {
    const temporary = temporaryName(join(dirname(record.id), `.${basename(record.id)}.errand`));
    clearLeftOver(record);
    records.put({ ...record, temporary });
    for (let tries = 0; ; tries++) {
      try {
        makeWay(records, dirname(record.id));
        writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: true });
        chmodSync(temporary, Number.parseInt(mode, 8));
        if (over) renameSync(temporary, record.id);
        else linkSync(temporary, record.id);
        break;
      } catch (error) {
        rmSync(temporary, { force: true });
        // Another deletion took the empty directory away in between.
        if (isAbsent(error) && tries < 3) continue;
        if (codeOf(error) === 'EEXIST' && isOurs(record)) break;
        if (codeOf(error) === 'EEXIST') throw somebodyElses(records, record);
        throw fileError(`tried to write ${record.id}`, error);
      }
    }
    rmSync(temporary, { force: true });
    records.put({ ...record, status: 'made' });
  }

  async function create(spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput> {
    const { path, mode, text, from } = await wanted(root, spec, call);
    const known = records.get(path);
    const there = look(path);
    const ours = known?.key === call.key;
    if (there && !ours) throw conflict(path, known);
    const record: MadeRecord = {
      type,
      root,
      name: spec.name,
      key: call.key,
      id: path,
      status: 'making',
      sha256: sha256(text),
      ...(from === undefined ? {} : { contentFrom: from }),
      ...(known?.temporary === undefined ? {} : { temporary: known.temporary }),
    };
    if (!(there && known?.status === 'made')) write(record, text, mode, false);
    return outputOf(spec.name, path, records.get(path));
  }

  async function update(ref: ResourceRef, spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput> {
    const { path, mode, text, from } = await wanted(root, spec, call);
    if (!read(ref)) throw new ErrandError('provider/not-found', `tried to update ${path}: it is gone`);
    const known = records.get(path);
    const { contentFrom: _, ...rest } = known ?? {
      type,
      root,
      name: spec.name,
      key: call.key,
      id: path,
      status: 'made' as const,
    };
    const record = { ...rest, name: spec.name, sha256: sha256(text), ...(from === undefined ? {} : { contentFrom: from }) };
    const there = readFileSync(path);
    if (sha256(there) !== record.sha256 || octal(look(path)?.mode ?? 0) !== octal(Number.parseInt(mode, 8))) {
      write(record, text, mode, true);
    } else records.put(record);
    return outputOf(spec.name, path, records.get(path));
  }

  return {
    configKeys: Object.keys(fileSchema.shape),
    sensitiveKeys: [],
    read: async (ref, ask) => (ask.signal.throwIfAborted(), read(ref)),
    diff: async ({ config }, current) => {
      const { path, content, mode = defaultMode } = config;
      const { outputs } = current;
      const text = typeof content === 'string' ? content : '';
      const from = text.startsWith('secret://') ? text : undefined;
      const same =
        from === undefined ? outputs['sha256'] === sha256(text) : outputs['content_from'] === from && outputs['edited'] !== true;
      return diffOf([
        ['path', outputs['path'], comparedPath(root, path), true],
        ['content', same ? content : undefined, content, false],
        ['mode', outputs['mode'], comparedMode(mode), false],
      ]);
    },
    create: async (spec, call) => (call.signal.throwIfAborted(), create(spec, call)),
    update: async (ref, spec, call) => (call.signal.throwIfAborted(), update(ref, spec, call)),
    delete: async (ref, call) => {
      call.signal.throwIfAborted();
      const record = recordOf(ref);
      if (!record) {
        if (ref.providerId !== undefined && look(ref.providerId))
          call.log(`left ${ref.providerId} in place: it was not made here`);
        return;
      }
      if (record.status !== 'making') records.put({ ...record, status: 'deleting', sha256: hashOf(record.id) ?? '' });
      clearLeftOver(record);
      if (isOurs(records.get(record.id) ?? record)) unlinkSync(record.id);
      clearWay(records, dirname(record.id));
      records.remove(record.id);
    },
    adopt: (spec) => {
      const path = textIn(spec.config, 'path');
      return path === undefined ? undefined : { name: spec.name, type, providerId: placeOf(root, path) };
    },
  };
}

async function wanted(root: string, spec: ResourceSpec, call: SecretCall) {
  const { path, content, mode = defaultMode } = readConfig(fileSchema, spec);
  const from = content.startsWith('secret://') ? content : undefined;
  return { path: placeOf(root, path), mode, text: from === undefined ? content : await call.secret(from), from };
}

const hashOf = (path: string) => (look(path)?.isFile() ? sha256(readFileSync(path)) : undefined);
const isOurs = (record: MadeRecord) => hashOf(record.id) === record.sha256;

function clearLeftOver({ temporary }: MadeRecord): void {
  if (temporary !== undefined) rmSync(temporary, { force: true });
}

function somebodyElses(records: Records, record: MadeRecord): ErrandError {
  records.remove(record.id);
  return conflict(record.id, undefined);
}

function conflict(path: string, known: MadeRecord | undefined): ErrandError {
  const whose = known ? `it belongs to ${known.name}` : 'it is there, and was not made here';
  return new ErrandError('provider/conflict', `tried to make the file ${path}: ${whose}`, {
    next: 'Choose another path, move the file away, or let the resource adopt it (`adopt: true`).',
  });
}

/** A digest of a secret is not for everybody either: short ones can be guessed. */
function outputOf(name: string, path: string, record: MadeRecord | undefined): ResourceOutput {
  const content = readFileSync(path);
  const from = record?.contentFrom;
  const hash = sha256(content);
  return {
    name,
    type,
    providerId: path,
    outputs: {
      id: path,
      path,
      sha256: hash,
      size: content.length,
      mode: octal(look(path)?.mode ?? 0),
      ...(from === undefined ? {} : { content_from: from, edited: hash !== record?.sha256 }),
    },
    sensitive: from === undefined ? [] : ['sha256'],
    status: 'present',
  };
}
