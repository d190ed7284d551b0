import { createHash } from 'node:crypto';
import { ErrandError } from 'errand/provider';
import type { Attributes, Driver, FieldChange, ResourceOutput, ResourceRef } from 'errand/provider';
import type { Note, Notes } from '../client.ts';

const type = 'example-cloud.note';

export function noteDriver(notes: Notes): Driver {
  /** A note of that name with another id is not the one that is meant. */
  async function find(ref: ResourceRef): Promise<Note | undefined> {
    const note = await notes.find(ref.name);
    return ref.providerId === undefined || ref.providerId === note?.id ? note : undefined;
  }

  return {
    configKeys: ['text', 'author'],

    async read(ref, { signal }) {
      signal.throwIfAborted();
      const note = await find(ref);
      return note && outputOf(note);
    },

    async diff(desired, current) {
      const { text, author } = fieldsOf(desired.config);
      const changes: FieldChange[] = [];
      if (text !== current.outputs['text']) changes.push(change('text', current.outputs, text, false));
      if (author !== current.outputs['author']) changes.push(change('author', current.outputs, author, true));
      return { needsUpdate: changes.length > 0, needsReplace: changes.some((one) => one.forceNew), changes };
    },

    async create(spec, { key, signal }) {
      signal.throwIfAborted();
      // The id follows from the key, so a repeated call makes the same note.
      const id = createHash('sha256').update(key).digest('hex').slice(0, 16);
      const note: Note = { id, name: spec.name, key, ...fieldsOf(spec.config) };
      if (await notes.add(note)) return outputOf(note);
      const there = await notes.find(spec.name);
      if (there?.key === key) return outputOf(there);
      throw new ErrandError('provider/conflict', `tried to create the note ${JSON.stringify(spec.name)}: there is one already`, {
        next: 'Choose another name, or import the note that is there.',
      });
    },

    async update(ref, spec, { signal }) {
      signal.throwIfAborted();
      const note = await find(ref);
      if (!note) throw new ErrandError('provider/not-found', `tried to update the note ${JSON.stringify(ref.name)}: it is gone`);
      const changed: Note = { ...note, ...fieldsOf(spec.config), author: note.author };
      await notes.put(changed);
      return outputOf(changed);
    },

    async delete(ref, { signal }) {
      signal.throwIfAborted();
      if (await find(ref)) await notes.remove(ref.name);
    },
  };
}

function fieldsOf(config: Attributes): Pick<Note, 'text' | 'author'> {
  const { text, author = '' } = config;
  if (typeof text === 'string' && typeof author === 'string') return { text, author };
  throw new ErrandError(
    'provider/refused',
    'read the config of a note: `text` must be a text, and `author` too where it is given',
    {
      next: 'Correct the config of the resource.',
    },
  );
}

function change(path: string, before: Attributes, after: string, forceNew: boolean): FieldChange {
  const old = before[path];
  return { path, new: after, forceNew, ...(old === undefined ? {} : { old }) };
}

function outputOf({ id, name, text, author }: Note): ResourceOutput {
  return { name, type, providerId: id, outputs: { text, author }, sensitive: [], status: 'kept' };
}
