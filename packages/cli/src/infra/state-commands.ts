import type { ArgumentSpec, CommandSpec, OptionSpec } from '../command.ts';

const resource: ArgumentSpec = { name: 'NAME', completes: 'resource' };
const head = 'one document {stack, lineage, serial, updatedAt}';

export function stateCommands(env: OptionSpec): readonly CommandSpec[] {
  return [
    {
      path: ['infra', 'state', 'list'],
      summary: 'list what is recorded',
      args: [],
      options: [env],
      json: 'one line per record, sensitive values masked',
      load: async () => (await import('./state-read.ts')).stateListCommand,
    },
    {
      path: ['infra', 'state', 'show'],
      summary: 'show what is recorded of a resource',
      args: [resource],
      options: [env],
      json: 'one document, the record, sensitive values masked',
      load: async () => (await import('./state-read.ts')).stateShowCommand,
    },
    {
      path: ['infra', 'state', 'mv'],
      summary: 'record a resource under another name',
      args: [resource, { name: 'NEWNAME' }],
      options: [env],
      json: head,
      load: async () => (await import('./state-write.ts')).stateMoveCommand,
    },
    {
      path: ['infra', 'state', 'rm'],
      summary: 'forget resources and leave them as they are',
      args: [{ ...resource, many: true }],
      options: [env],
      json: head,
      load: async () => (await import('./state-write.ts')).stateRemoveCommand,
    },
    {
      path: ['infra', 'state', 'history'],
      summary: 'list the versions of the record, newest first',
      args: [],
      options: [env],
      json: 'one line per version {stack, lineage, serial, updatedAt, by, resources}',
      load: async () => (await import('./state-read.ts')).stateHistoryCommand,
    },
    {
      path: ['infra', 'state', 'restore'],
      summary: 'make an earlier version of the record the newest one',
      args: [{ name: 'SERIAL' }],
      options: [env],
      json: head,
      load: async () => (await import('./state-write.ts')).stateRestoreCommand,
    },
    {
      path: ['infra', 'state', 'pull'],
      summary: 'print the record as a document, sensitive values sealed',
      args: [],
      options: [env],
      json: 'the same document on one line',
      load: async () => (await import('./state-read.ts')).statePullCommand,
    },
    {
      path: ['infra', 'state', 'push'],
      summary: 'take the record from a document',
      args: [{ name: 'FILE', completes: 'file' }],
      options: [env, { name: 'force', summary: 'also when it is older, or of another lineage' }],
      json: head,
      load: async () => (await import('./state-write.ts')).statePushCommand,
    },
  ];
}
