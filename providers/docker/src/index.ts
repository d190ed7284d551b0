import { defineProvider } from '@errand/contract';

/** Others who grant profiles must know what each one gives by itself. */
export { profiles } from './profiles.ts';

export const dockerProvider = defineProvider({
  name: 'docker',
  version: '0.1.0',
  summary: 'Runs jobs as containers of a Docker or Podman engine.',
  options: async () => (await import('./config.ts')).optionsSchema,
  infraOptions: async (from) => (await import('./infra-config.ts')).infraSchema(from?.directory),
  open: async (context) => (await import('./open.ts')).open(context),
});
