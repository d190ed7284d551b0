import { expect, test } from 'vitest';
import { parseManifest } from '../launch/plugin-directory.ts';
import { pluginManifest } from './manifest.ts';

const options = { name: 'my-cloud', version: '1.2.3', description: 'd', author: 'a', infra: true };

test('the name of the provider is below capabilities, and the way of planning alone at the top', () => {
  expect(pluginManifest({ ...options, stateBackends: ['bucket'] })).toEqual({
    name: 'my-cloud',
    version: '1.2.3',
    author: 'a',
    description: 'd',
    capabilities: { iacProvider: { name: 'my-cloud' } },
    iacProvider: { computePlanVersion: 'v2' },
    iacStateBackends: ['bucket'],
  });
  expect(Object.keys(pluginManifest({ ...options, infra: false }) ?? {})).toEqual(['name', 'version', 'author', 'description']);
});

test('our own reader takes it', () => {
  expect(parseManifest('plugin.json', JSON.stringify(pluginManifest(options)))).toMatchObject({
    name: 'my-cloud',
    version: '1.2.3',
  });
});

test('versions are three numbers', () => {
  const versionOf = (version: string) => pluginManifest({ ...options, version });
  expect(versionOf('v2.0.0-rc.1')).toMatchObject({ version: '2.0.0' });
  expect(versionOf('3')).toMatchObject({ version: '3.0.0' });
  expect(() => versionOf('next')).toThrow('no version');
  expect(() => pluginManifest({ ...options, name: 'My_Cloud' })).toThrow('no name of a plugin');
});
