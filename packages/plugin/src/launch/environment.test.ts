import { expect, test } from 'vitest';
import { environmentOf } from './environment.ts';

const wanted = { own: {}, socketDirectory: '/s', home: '/h' };

test('nothing of the host’s environment goes along but what is on the list', () => {
  const host = {
    PATH: '/bin',
    LC_ALL: 'C',
    AWS_SECRET_ACCESS_KEY: 'x',
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: '/x.so',
    HOME: undefined,
  };
  const environment = environmentOf({ ...wanted, host });
  expect(environment).toMatchObject({ PATH: '/bin', LC_ALL: 'C', WORKFLOW_PLUGIN: 'workflow-external-plugin-v1' });
  for (const name of ['AWS_SECRET_ACCESS_KEY', 'NODE_OPTIONS', 'LD_PRELOAD', 'HOME', 'PLUGIN_CLIENT_CERT']) {
    expect(environment).not.toHaveProperty(name);
  }
});

test('what was set for the plugin wins over what is inherited, and never over the handshake', () => {
  const environment = environmentOf({
    ...wanted,
    host: { PATH: '/bin' },
    own: { PATH: '/opt', WORKFLOW_PLUGIN: 'x', TOKEN: 't' },
  });
  expect(environment).toMatchObject({ PATH: '/opt', TOKEN: 't', WORKFLOW_PLUGIN: 'workflow-external-plugin-v1' });
});
