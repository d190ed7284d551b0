import { defineProvider } from '@errand/contract';

export const agentProvider = defineProvider({
  name: 'agent',
  version: '0.1.0',
  summary: 'Runs jobs on a machine where an Errand agent listens.',
  options: async (from) => (await import('./config.ts')).optionsSchema(from?.directory),
  open: async (context) => (await import('./open.ts')).open(context),
});
