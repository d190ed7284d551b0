import { defineProvider } from '@errand/contract';

export const sshProvider = defineProvider({
  name: 'ssh',
  version: '0.1.0',
  summary: 'Runs jobs on a machine that is reached by SSH.',
  options: async () => (await import('./config.ts')).optionsSchema,
  open: async (context) => (await import('./open.ts')).open(context),
});
