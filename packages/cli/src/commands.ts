import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.ts';
import { execCommand, runCommand } from './commands/run.ts';
import { infraCommands } from './infra/commands.ts';

export const globalOptions: readonly OptionSpec[] = [
  { name: 'json', summary: 'data on stdout as JSON, talk on stderr' },
  { name: 'home', value: 'DIR', summary: 'the data directory', completes: 'directory' },
  { name: 'config', value: 'FILE', summary: 'the config file', completes: 'file' },
  { name: 'quiet', short: 'q', summary: 'no talk on stderr' },
  { name: 'help', short: 'h', summary: 'show help' },
];

const run: ArgumentSpec = { name: 'RUN', completes: 'run' };
const lease: ArgumentSpec = { name: 'LEASE', completes: 'lease' };
const runDocument =
  'one document {run, outcome, exitStatus, kept}; the output of the command goes to stderr, with --quiet nowhere';

const jobOptions: readonly OptionSpec[] = [
  { name: 'workspace', value: 'DIR', summary: 'copy this directory in and start there', completes: 'directory' },
  { name: 'collect', value: 'GLOB', many: true, summary: 'bring matching files back' },
  { name: 'out', value: 'DIR', summary: 'where collected files go (default: the working directory)', completes: 'directory' },
  { name: 'sync-back', summary: 'merge what the command changed into the workspace directory' },
  { name: 'env', value: 'K=V', many: true, summary: 'set a variable' },
  { name: 'secret', value: 'K=secret://…', many: true, summary: 'set a variable from a secret reference' },
  { name: 'timeout', value: 'D', summary: 'end the command after this time, such as 90s or 20m' },
  { name: 'pending-timeout', value: 'D', summary: 'give up when the command has not started after this time' },
  { name: 'grace', value: 'D', summary: 'time between asking the command to end and forcing it' },
  { name: 'detach', summary: 'print the run id and leave the run to a background process' },
  { name: 'idempotency-key', value: 'K', summary: 'the same key twice is one run' },
  { name: 'label', value: 'K=V', many: true, summary: 'attach a label' },
  { name: 'script', value: 'TEXT', summary: 'run this text with sh instead of an argv' },
];

export const commands: readonly CommandSpec[] = [
  {
    path: ['run'],
    summary: 'run a command and exit with its status',
    args: [],
    argv: true,
    options: [
      { name: 'on', value: 'ENV', summary: 'the environment (default: local)', completes: 'environment' },
      { name: 'image', value: 'IMAGE', summary: 'the image, where the environment takes one' },
      { name: 'reuse-label', value: 'TEXT', summary: 'share reused places only with runs of the same label' },
      ...jobOptions,
    ],
    json: runDocument,
    notes: `Exit status: the command's own; 124 timed out; 125 Errand could not run it; 126 not executable; 127 not found;
128+n ended by signal n; 130 cancelled. 125 also when the command exited 0 but its files could not be brought back;
conflicts of --sync-back are told and change no status: what is here stays, the command's version is kept beside it.
The first Ctrl-C (or SIGTERM) asks the command to end, the second forces it, the third leaves it unconfirmed.
When the reader of stdout goes away (errand run … | head), the run is cancelled as Ctrl-C would.`,
    // In the same file of the bundle as this list: importing it later would only load one more.
    load: async () => runCommand,
  },
  {
    path: ['runs'],
    summary: 'list runs, newest first',
    args: [],
    options: [
      { name: 'open', summary: 'only runs that are not closed' },
      { name: 'label', value: 'K=V', many: true, summary: 'only runs with this label' },
      { name: 'limit', value: 'N', summary: 'at most this many (default: 50)' },
    ],
    json: 'one line per run',
    load: async () => (await import('./commands/runs.ts')).runsCommand,
  },
  {
    path: ['show'],
    summary: 'show a run: status, outcome, times and what happened',
    args: [run],
    options: [],
    json: 'one document {run, lease, events}',
    load: async () => (await import('./commands/show.ts')).showCommand,
  },
  {
    path: ['logs'],
    summary: 'print the output of a run, or what provisioning a lease printed',
    args: [{ name: 'RUN|LEASE', completes: 'run' }],
    options: [
      { name: 'follow', short: 'f', summary: 'wait for more until the run has ended' },
      { name: 'stream', value: 'STREAM', summary: 'only stdout or only stderr', completes: ['stdout', 'stderr'] },
      { name: 'since', value: 'CURSOR', summary: 'only what came after this cursor (see --json)' },
    ],
    json: 'one line per chunk {stream, cursor, text}, or base64 instead of text where it is not UTF-8',
    notes:
      'The bytes of the command, undecorated: its stdout on stdout and its stderr on stderr, unless --stream picks one for stdout.',
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  {
    path: ['wait'],
    summary: 'wait for a run and exit with its status',
    args: [run],
    options: [],
    json: 'one document {run, outcome, exitStatus}',
    notes: 'Takes the run over when the process that watched it is dead. Ctrl-C stops the waiting, not the run.',
    load: async () => (await import('./commands/wait.ts')).waitCommand,
  },
  {
    path: ['cancel'],
    summary: 'end a run and wait for the proof that it is gone',
    args: [run],
    options: [{ name: 'force', summary: 'do not ask first' }],
    json: 'one document {run, outcome, alreadyFinished}',
    notes: 'Exit status 0 once the run is over, also when it had finished before.',
    load: async () => (await import('./commands/cancel.ts')).cancelCommand,
  },
  {
    path: ['lease', 'acquire'],
    summary: 'acquire a standing place and print the lease id',
    args: [{ name: 'ENV', completes: 'environment' }],
    options: [
      { name: 'ttl', value: 'D', summary: 'how long the lease lasts unless renewed' },
      { name: 'image', value: 'IMAGE', summary: 'the image, where the environment takes one' },
      { name: 'label', value: 'K=V', many: true, summary: 'attach a label' },
    ],
    json: 'one document, the lease',
    load: async () => (await import('./commands/lease.ts')).acquireCommand,
  },
  {
    path: ['lease', 'exec'],
    summary: 'run a command in a leased place and exit with its status',
    args: [lease],
    argv: true,
    options: jobOptions,
    json: runDocument,
    notes: 'Exit status as of errand run.',
    load: async () => execCommand,
  },
  {
    path: ['lease', 'renew'],
    summary: 'make a lease last longer; never shortens it',
    args: [lease],
    options: [{ name: 'ttl', value: 'D', summary: 'how long from now (required)' }],
    json: 'one document, the lease',
    load: async () => (await import('./commands/lease.ts')).renewCommand,
  },
  {
    path: ['lease', 'release'],
    summary: 'give a leased place back and wait for the proof that it is gone',
    args: [lease],
    options: [],
    json: 'one document, the lease',
    load: async () => (await import('./commands/lease.ts')).releaseCommand,
  },
  {
    path: ['leases'],
    summary: 'list leases',
    args: [],
    options: [{ name: 'all', summary: 'ended ones too' }],
    json: 'one line per lease',
    load: async () => (await import('./commands/lease.ts')).leasesCommand,
  },
  {
    path: ['warm'],
    summary: 'fill the pools of ready places, of one environment or of all',
    args: [{ name: 'ENV', optional: true, completes: 'environment' }],
    options: [{ name: 'dry-run', summary: 'only say what would be done' }],
    json: 'one line per pool {environment, wanted, ready, made, missing, problems}, then one per lease that was given up',
    notes: `Runs fill the pool that they took from by themselves, in the background; this does it ahead of the first one.
Idle places of this config file that none of its environments wants any more are released.`,
    load: async () => (await import('./commands/warm.ts')).warmCommand,
  },
  {
    path: ['sweep'],
    summary: 'finish what dead processes left behind and remove what is proven dead',
    args: [],
    options: [{ name: 'dry-run', summary: 'only say what would be done' }],
    json: 'one line per finding {subject, id, did, because}',
    load: async () => (await import('./commands/sweep.ts')).sweepCommand,
  },
  {
    path: ['env', 'list'],
    summary: 'list environments and what they can do',
    args: [],
    options: [],
    json: 'one line per environment',
    load: async () => (await import('./commands/env.ts')).envListCommand,
  },
  {
    path: ['env', 'check'],
    summary: 'say what would stop a run on an environment, or on any that the config names',
    args: [{ name: 'ENV', optional: true, completes: 'environment' }],
    options: [],
    json: 'one line per environment {environment, ready, diagnostics}',
    load: async () => (await import('./commands/env.ts')).envCheckCommand,
  },
  ...infraCommands,
  {
    path: ['provider', 'list'],
    summary: 'list providers: those that are built in, and the plugins of the config',
    args: [],
    options: [],
    json: 'one line per provider {name, kind, version, summary, directory, locked, problem}',
    load: async () => (await import('./commands/provider-list.ts')).providerListCommand,
  },
  {
    path: ['provider', 'inspect'],
    summary: 'open a provider and show what it offers',
    args: [{ name: 'NAME' }],
    options: [],
    json: 'one document {name, kind, version, directory, facets, resources, services, capabilities}',
    notes: 'A plugin is launched for it, with its config, and ended again.',
    load: async () => (await import('./commands/provider-inspect.ts')).providerInspectCommand,
  },
  {
    path: ['provider', 'lock'],
    summary: 'pin the programs of the config’s plugins, of one or of all, in errand.lock',
    args: [{ name: 'NAME', optional: true }],
    options: [],
    json: 'one line per plugin {name, directory, version, sha256, changed}',
    notes: `errand.lock lies beside errand.yaml and belongs into version control. A program that is not in it, or is another one than
was pinned, is never launched. Look at what changed before you pin it again.`,
    load: async () => (await import('./commands/provider-lock.ts')).providerLockCommand,
  },
  {
    path: ['agent'],
    summary: 'let other machines run jobs on this one',
    args: [],
    options: [
      { name: 'listen', value: 'ADDRESS', summary: 'HOST:PORT or unix:/PATH' },
      { name: 'token-file', value: 'FILE', summary: 'the tokens that let a client in, one per line', completes: 'file' },
      { name: 'no-token', summary: 'let every user of this machine in (not beyond it)' },
      { name: 'tls-cert', value: 'FILE', summary: 'the certificate to show, PEM', completes: 'file' },
      { name: 'tls-key', value: 'FILE', summary: 'its key, PEM', completes: 'file' },
      { name: 'client-ca', value: 'FILE', summary: 'clients must show a certificate that this one signed', completes: 'file' },
      { name: 'use', value: 'PROVIDER', summary: 'what runs the jobs (default: local)', completes: ['local', 'docker'] },
    ],
    json: 'one document {listening, provider} once it listens',
    notes: `--config names the agent's own file here: { listen, tokens, tls, provider, policy, secrets }.
Tokens and certificates are read again when their files change. An address that other machines can reach needs TLS and a token.
Ctrl-C (or SIGTERM) ends the agent, never a job.`,
    load: async () => (await import('./commands/agent.ts')).agentCommand,
  },
  {
    path: ['provider', 'new'],
    summary: 'make a provider package that runs and passes its tests',
    args: [{ name: 'NAME' }],
    options: [{ name: 'dir', value: 'DIR', summary: 'where to put it (default: the working directory)', completes: 'directory' }],
    json: 'one document {directory, files, linked}',
    notes: 'docs/write-a-provider.md goes on from there.',
    load: async () => (await import('./commands/provider-new.ts')).providerNewCommand,
  },
  {
    path: ['provider', 'test'],
    summary: 'try every promise of the contract on a provider plugin, in whatever language it is written',
    args: [{ name: 'PATH', completes: 'directory' }],
    options: [{ name: 'only', value: 'TEXT', many: true, summary: 'only scenarios with this text in their name' }],
    json: 'one line per scenario {suite, scenario, result, why, milliseconds}; result is held, broken or skipped',
    notes: `--config is the plugin's own config here: JSON, or a file with it (default: \`config\` in its conformance.json).
conformance.json in the plugin's directory says what to try it with; without a sample a driver is skipped.
The plugin is started although errand.lock does not name it. Exit status: 0 all held, 1 something is broken, 125 it could
not be tried.`,
    load: async () => (await import('./commands/provider-test.ts')).providerTestCommand,
  },
  {
    path: ['init'],
    summary: 'write a starter errand.yaml here',
    args: [],
    options: [],
    json: 'one document {file, gitignore}',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    path: ['config', 'check'],
    summary: 'report every problem of the config file; opens no provider',
    args: [],
    options: [],
    json: 'one document {file, environments, stacks, diagnostics}',
    load: async () => (await import('./commands/config.ts')).configCheckCommand,
  },
  {
    path: ['schema'],
    summary: 'print the JSON Schema of errand.yaml, for editors',
    args: [],
    options: [],
    json: 'one document, the schema, also without --json',
    load: async () => (await import('./commands/schema.ts')).schemaCommand,
  },
  {
    path: ['completion'],
    summary: 'print the completion script of a shell',
    args: [{ name: 'SHELL', completes: ['bash', 'zsh', 'fish'] }],
    options: [],
    json: 'one document {shell, script}',
    notes:
      'bash: eval "$(errand completion bash)"   zsh: eval "$(errand completion zsh)"   fish: errand completion fish | source',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  {
    path: ['attend'],
    summary: 'watch a run until it is closed (started by run --detach)',
    args: [run],
    options: [],
    json: 'nothing',
    hidden: true,
    load: async () => (await import('./commands/attend.ts')).attendCommand,
  },
  {
    path: ['__complete'],
    summary: 'candidates for the completion scripts',
    args: [{ name: 'KIND' }],
    options: [],
    json: 'nothing',
    hidden: true,
    load: async () => (await import('./commands/candidates.ts')).candidatesCommand,
  },
];
