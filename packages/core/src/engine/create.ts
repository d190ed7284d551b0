import type { LogStore } from '../logs/port.ts';
import type { Ports } from '../ports.ts';
import type { Providers } from '../providers/registry.ts';
import type { Secrets } from '../secrets/port.ts';
import type { Store } from '../store/port.ts';
import { defaultSettings } from './types.ts';
import type { Engine, Settings } from './types.ts';

export interface EngineParts {
  readonly store: Store;
  readonly logs: LogStore;
  readonly ports: Ports;
  readonly providers: Providers;
  readonly secrets: Secrets;
  readonly redact: (text: string) => string;
  readonly home: string;
  readonly log?: (line: string) => void;
  readonly refill?: (environment: string) => void;
  readonly settings?: Partial<Settings>;
}

export function createEngine(parts: EngineParts): Engine {
  const { store, logs, ports, secrets, redact, home } = parts;
  return {
    store,
    logs,
    ports,
    secrets,
    redact,
    settings: { ...defaultSettings, ...parts.settings },
    log: parts.log ?? (() => {}),
    home,
    refill: parts.refill ?? (() => {}),
    exclude: [home],
    providers: parts.providers,
  };
}
