// `errand infra …`, as the table in `../commands.ts` wants it.
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../command.ts';
import { stateCommands } from './state-commands.ts';

const env: OptionSpec = {
  name: 'env',
  value: 'NAME',
  summary: 'the overlay of infra.environments to use; it has a state of its own',
};
const yes: OptionSpec = { name: 'yes', summary: 'do not ask' };
const target: OptionSpec = {
  name: 'target',
  value: 'RESOURCE',
  many: true,
  summary: 'only this one and what it depends on',
  completes: 'resource',
};
const exclude: OptionSpec = {
  name: 'exclude',
  value: 'RESOURCE',
  many: true,
  summary: 'not this one, and not what depends on it',
  completes: 'resource',
};
const noRefresh: OptionSpec = { name: 'no-refresh', summary: 'trust the record instead of looking at what is there' };
const parallelism: OptionSpec = { name: 'parallelism', value: 'N', summary: 'how much is done at once (default: 10)' };
const allow: OptionSpec = {
  name: 'allow',
  value: 'RESOURCE',
  many: true,
  summary: 'this protected resource may be replaced or deleted',
  completes: 'resource',
};
const resource: ArgumentSpec = { name: 'NAME', completes: 'resource' };

const applied =
  'one line {plan} unless a saved one is applied, one line per event {event, …} (started, talk, ended, recovered), at last one line {result: {outcomes, serial, interrupted, failures, exitStatus}}';
const applyStatus = `Exit status: 0 all done; 1 a step failed, what depends on it was skipped and the rest was done; 125 Errand could not
begin; 130 interrupted or not agreed to. The first Ctrl-C finishes what is in flight, the second aborts the calls; the journal
keeps what they were about, and the next command that writes asks the providers and goes on from there.`;

export const infraCommands: readonly CommandSpec[] = [
  {
    path: ['infra', 'plan'],
    summary: 'show what would be created, updated, replaced or deleted, and why',
    args: [],
    options: [
      env,
      { name: 'out', value: 'FILE', summary: 'save the plan, for errand infra apply FILE', completes: 'file' },
      target,
      exclude,
      noRefresh,
      { name: 'destroy', summary: 'plan to delete everything' },
      { name: 'detailed-exitcode', summary: 'exit with 2 when there are changes' },
      parallelism,
    ],
    json: 'one document, the plan, sensitive values masked',
    notes: `+ create, ~ update, -/+ delete then create, +/- create then delete, - delete, <= read, . forget.
A saved plan is bound to the state, the inputs and the provider versions it was made with; when one of them moved, it is refused.
Exit status: 0, or 2 with --detailed-exitcode when there are changes; 125 when there is no plan to be had.`,
    load: async () => (await import('./plan.ts')).planCommand,
  },
  {
    path: ['infra', 'apply'],
    summary: 'make it so: carry out a plan, after a question or with --yes',
    args: [{ name: 'PLANFILE', optional: true, completes: 'file' }],
    options: [
      env,
      yes,
      target,
      exclude,
      noRefresh,
      parallelism,
      allow,
      { name: 'owner', value: 'OWNER', summary: 'take resources for this owner and refuse those of others' },
      { name: 'force-owner', summary: 'take over those of others, too' },
    ],
    json: applied,
    notes: `Without a terminal, and with --json, nobody is asked: give --yes or a saved plan.
${applyStatus}`,
    load: async () => (await import('./apply.ts')).applyCommand,
  },
  {
    path: ['infra', 'destroy'],
    summary: 'delete what is recorded, dependents first, after a question or with --yes',
    args: [],
    options: [env, yes, { ...target, summary: 'only this one and what depends on it' }, exclude, noRefresh, parallelism, allow],
    json: applied,
    notes: applyStatus,
    load: async () => (await import('./apply.ts')).destroyCommand,
  },
  {
    path: ['infra', 'drift'],
    summary: 'tell what was changed or removed outside Errand; changes nothing',
    args: [],
    options: [env],
    json: 'one line per resource {name, type, provider, drifted, class, fields, expected, actual}',
    notes: 'Exit status: 0 no drift, 2 drift, 125 when somebody could not be asked.',
    load: async () => (await import('./drift.ts')).driftCommand,
  },
  {
    path: ['infra', 'refresh'],
    summary: 'record what is there now, without changing it',
    args: [],
    options: [env],
    json: 'one document {refreshed, ghosts, serial}',
    load: async () => (await import('./refresh.ts')).refreshCommand,
  },
  {
    path: ['infra', 'import'],
    summary: 'record something that exists: NAME and its ID, or with --all every one of a PROVIDER and TYPE',
    args: [{ name: 'NAME|PROVIDER', completes: 'resource' }, { name: 'ID|TYPE' }],
    options: [
      env,
      { name: 'all', summary: 'everything of this type that the provider finds' },
      { name: 'dry-run', summary: 'with --all: only say what would be recorded' },
    ],
    json: 'one line per record',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    path: ['infra', 'status'],
    summary: 'ask the providers how the recorded resources are',
    args: [],
    options: [env],
    json: 'one line per resource {name, type, provider, providerId, status, message}',
    notes: 'Exit status 125 when somebody could not be asked; the others are shown all the same.',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    path: ['infra', 'outputs'],
    summary: 'print the outputs, or one of them bare',
    args: [{ name: 'NAME', optional: true }],
    options: [env, { name: 'reveal', summary: 'show sensitive ones in clear' }],
    json: 'one document {name: {value, sensitive}}; with NAME {value, sensitive}',
    load: async () => (await import('./outputs.ts')).outputsCommand,
  },
  {
    path: ['infra', 'graph'],
    summary: 'print what depends on what, as DOT or SVG',
    args: [],
    options: [
      env,
      { name: 'dot', summary: 'as DOT, for Graphviz (the default)' },
      { name: 'svg', summary: 'as a picture' },
      { name: 'plan', summary: 'coloured by what a plan would do' },
    ],
    json: 'one document {stack, nodes, edges}',
    load: async () => (await import('./graph.ts')).graphCommand,
  },
  {
    path: ['infra', 'validate'],
    summary: 'report every problem of the infra section, in all its environments; asks no platform',
    args: [],
    options: [env],
    json: 'one document {stacks: [{name, resources}], diagnostics}',
    notes: 'Providers are opened for the types and keys that they know. No secret is read, and no state.',
    load: async () => (await import('./validate.ts')).validateCommand,
  },
  {
    path: ['infra', 'logs'],
    summary: 'print what a resource says',
    args: [resource],
    options: [
      env,
      { name: 'follow', short: 'f', summary: 'wait for more' },
      { name: 'tail', value: 'N', summary: 'only the last N lines' },
      { name: 'type', value: 'TYPE', summary: 'build, deploy, run (the default) or run-restarted' },
    ],
    json: 'one line per chunk {source, text}, or base64 instead of text where it is not UTF-8',
    load: async () => (await import('./logs.ts')).logsCommand,
  },
  {
    path: ['infra', 'rotate'],
    summary: 'give a credential a new value: the new one first, the old one revoked last',
    args: [resource],
    options: [env],
    json: 'one document {resource, revoked, problem}',
    notes: 'Exit status 1 when the old one could not be revoked; the new one stands then.',
    load: async () => (await import('./rotate.ts')).rotateCommand,
  },
  {
    path: ['infra', 'owners'],
    summary: 'list what belongs to an owner',
    args: [{ name: 'OWNER' }],
    options: [env, { name: 'type', value: 'TYPE', summary: 'only of this type' }],
    json: 'one line per resource {name, type, providerId, provider, owner, source}',
    load: async () => (await import('./owners.ts')).ownersCommand,
  },
  {
    path: ['infra', 'cleanup'],
    summary: 'find what carries a tag and, with --fix, delete it',
    args: [],
    options: [
      env,
      { name: 'tag', value: 'TAG', summary: 'the tag (required)' },
      { name: 'fix', summary: 'delete what was found' },
    ],
    json: 'one line per resource {name, type, providerId, deleted, error}',
    notes: 'Exit status 1 when something could not be deleted.',
    load: async () => (await import('./cleanup.ts')).cleanupCommand,
  },
  {
    path: ['infra', 'bootstrap'],
    summary: 'make the place where the state is kept',
    args: [],
    options: [env],
    json: 'one document, the variables to set',
    load: async () => (await import('./bootstrap.ts')).bootstrapCommand,
  },
  {
    path: ['infra', 'unlock'],
    summary: 'show who holds the lock and, after a question or with --yes, take it away',
    args: [],
    options: [env, yes],
    json: 'one document {unlocked, lock}',
    notes: 'A lock whose owner is dead needs none of this: the next command takes it by itself.',
    load: async () => (await import('./unlock.ts')).unlockCommand,
  },
  ...stateCommands(env),
];
