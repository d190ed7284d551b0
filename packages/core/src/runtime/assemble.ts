import { join } from 'node:path';
import type { Config } from '../config/types.ts';
import { createEngine } from '../engine/create.ts';
import { createFileLogs } from '../logs/files.ts';
import type { Ports } from '../ports.ts';
import type { Providers } from '../providers/registry.ts';
import type { Secrets } from '../secrets/port.ts';
import { openStore } from '../store/open.ts';
import type { WiringOptions } from './create-runtime.ts';
import { runtimeOn } from './runtime.ts';
import type { Runtime } from './sdk.ts';

interface Found {
  readonly home: string;
  readonly cwd: string;
  readonly config: Config;
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly redact: (text: string) => string;
  readonly providers: Providers;
  readonly secretDirectory: string;
}

export async function assemble(options: WiringOptions, found: Found): Promise<Runtime> {
  const { home, cwd, config, providers } = found;
  const url = options.store ?? config.store;
  try {
    const engine = createEngine({
      ...found,
      store: await openStore({ home, ...(url !== undefined && { url }) }),
      logs: createFileLogs(join(home, 'logs')),
      ...(options.log && { log: options.log }),
      ...(options.settings && { settings: options.settings }),
    });
    return runtimeOn({
      engine,
      config,
      home,
      cwd,
      recover: options.recover ?? true,
      refill: options.refill,
      infra: { url, secretDirectory: found.secretDirectory },
    });
  } catch (error) {
    await providers[Symbol.asyncDispose]();
    throw error;
  }
}
