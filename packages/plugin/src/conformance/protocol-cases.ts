// What any host expects of any plugin, whatever it provides: the directory, the handshake, discovery, and its end.
import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf';
import { isErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import * as iac from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { askServices } from '../iac/registry.ts';
import { askCapabilities, askIdentity, initialize } from '../iac/connect-required.ts';
import { askFor, defaultPatience } from '../iac/line.ts';
import type { Line } from '../iac/line.ts';
import { launchPlugin } from '../launch/launch.ts';
import type { LaunchOptions } from '../launch/begin.ts';
import type { LaunchedPlugin } from '../launch/launch.ts';
import { readPluginDirectory } from '../launch/plugin-directory.ts';
import { Broken, demand } from './demand.ts';
import { manifestProblems } from './manifest-problems.ts';
import { askHealth } from './health.ts';
import { startByHand } from './by-hand.ts';

export interface ProtocolCase {
  readonly name: string;
  /** Gives why it does not apply, or undefined when the promise was held; throws when it was broken. */
  readonly run: () => Promise<string | undefined>;
}

export interface ProtocolSubject {
  readonly directory: string;
  /** What the provider is initialised with; absent: it is not, and what needs that is left out. */
  readonly config?: Json;
  /** Launches into a home of its own, which is gone afterwards. */
  readonly launchOptions: () => Promise<LaunchOptions & AsyncDisposable>;
}

/** Hosts of the public contract kill what has not ended by then. */
const longestEnd = 2000;
const atOnce = 32;
const unknownType = 'no.such_type';

export function protocolCases(subject: ProtocolSubject): ProtocolCase[] {
  const launched = (run: (line: Line, plugin: LaunchedPlugin) => Promise<string | undefined | void>) => async () => {
    await using options = await subject.launchOptions();
    await using plugin = await launchPlugin(options);
    const link = { client: plugin.client, name: 'the plugin', metadata: undefined };
    return (await run({ link, patience: defaultPatience, declares: () => true }, plugin)) ?? undefined;
  };
  const { signal } = new AbortController();
  const required = (run: (line: Line) => Promise<void>) =>
    launched(async (line) => {
      if (!(await askServices(line, signal)).has(iac.IaCProviderRequired.typeName))
        return 'it does not serve IaCProviderRequired';
      await run(line);
    });

  return [
    {
      name: 'the manifest has what every reader of it wants',
      run: async () => {
        const { path } = await readPluginDirectory(subject.directory);
        const problems = await manifestProblems(path);
        demand(problems.length === 0, problems.join('; '));
        return undefined;
      },
    },
    {
      name: 'started by hand it says what it is, and ends',
      run: async () => {
        const { executable, path } = await readPluginDirectory(subject.directory);
        const { code, output } = await startByHand(executable, path);
        demand(code !== undefined, 'it went on without the cookie of a host, for 10 s');
        demand(code !== 0, 'it ended with status 0 without the cookie of a host');
        demand(output.trim() !== '', 'it said nothing to the person who started it');
        return undefined;
      },
    },
    {
      name: 'it takes mutual TLS',
      run: launched(async (_line, plugin) => demand(plugin.secure, 'it offers no certificate although the host showed one')),
    },
    {
      name: 'its health is SERVING',
      run: launched(async (_line, plugin) => {
        const served = await askHealth(plugin.client);
        demand(served, 'the service "plugin" is not SERVING');
      }),
    },
    {
      name: 'it names its services, each once',
      run: launched(async (line) => {
        const services = [...(await askServices(line, signal))];
        demand(services.length > 0, 'the contract registry names no service');
        demand(
          services.every((name) => /^[a-z]\w*(\.\w+)+$/.test(name)),
          `not all of them are full names: ${services.join(', ')}`,
        );
      }),
    },
    {
      name: 'its capabilities are told before it is initialised, with compute_plan_version v2',
      run: required(async (line) => {
        const { types } = await askCapabilities(line, signal);
        demand(new Set(types).size === types.length, `a resource type is declared twice: ${types.join(', ')}`);
      }),
    },
    {
      name: 'it says its name and version',
      run: required(async (line) => {
        const { name, version } = await askIdentity(line, signal);
        demand(name !== '' && version !== '', `its name is ${JSON.stringify(name)} and its version ${JSON.stringify(version)}`);
      }),
    },
    {
      name: 'it takes its config twice',
      run: required(async (line) => {
        const config = subject.config ?? {};
        await initialize(line, config, signal);
        await initialize(line, config, signal);
      }),
    },
    {
      name: 'a resource type that it does not have is refused, not found missing',
      run: launched(async (line) => {
        if (!(await askServices(line, signal)).has(iac.ResourceDriver.typeName)) return 'it has no resources';
        await initialize(line, subject.config ?? {}, signal);
        await refused(line, iac.ResourceDriver.method.create, { resourceType: unknownType, spec: { name: 'x' } });
        await refused(line, iac.ResourceDriver.method.read, { resourceType: unknownType, ref: { name: 'x' } });
        return undefined;
      }),
    },
    {
      name: `${atOnce} calls at once are all answered`,
      run: launched(async (line) => {
        const answers = await Promise.all(Array.from({ length: atOnce }, () => askServices(line, signal)));
        demand(new Set(answers.map((one) => [...one].toSorted().join())).size === 1, 'the answers differ');
      }),
    },
    {
      name: 'asked to shut down it ends by itself, with status 0, in time',
      run: launched(async (_line, plugin) => {
        const begun = performance.now();
        await plugin.stop();
        const { code, signal: by } = await plugin.ended;
        demand(code === 0, by === null ? `it ended with status ${code}` : `it had to be ended with ${by}`);
        const took = performance.now() - begun;
        demand(took < longestEnd, `it took ${Math.round(took)} ms; hosts kill it after ${longestEnd}`);
      }),
    },
  ];
}

/** `NOT_FOUND` with the text of a missing resource would make a mistyped type look like something that was deleted. */
async function refused<I extends DescMessage, O extends DescMessage>(
  line: Line,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<void> {
  const about = {
    verb: `${method.name.toLowerCase()} ${unknownType}`,
    type: { name: unknownType, declared: false },
    within: 10_000,
  };
  const answer = await askFor(line, about, method, request, { signal: new AbortController().signal }, () => undefined).catch(
    (error: unknown) => error,
  );
  if (isErrandError(answer, 'provider/refused')) return;
  const got = isErrandError(answer) ? `is ${answer.code}: ${answer.message}` : 'was answered as if there were one';
  throw new Broken(`${method.name} of a type that it does not have ${got}`);
}
