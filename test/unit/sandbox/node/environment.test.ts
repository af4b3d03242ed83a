import {
  ContainerConfigError,
  containerEnvironment,
  expand,
  type ReadSource,
} from '../../../../sandbox/node/environment.ts';
import { makePod } from './pod-fixtures.ts';

const facts = { nodeName: 'node-1', hostIP: '127.0.0.1', podIP: '127.64.0.1' };

const known: ReadSource = (kind, name) => (kind === 'secret' && name === 'known' ? { k: 'v', l: 'w' } : undefined);

function environmentOf(env: Record<string, unknown>[], base: Record<string, string> = {}): Record<string, string> {
  return withSources(env, [], base);
}

function withSources(env: unknown[], envFrom: unknown[], base: Record<string, string> = {}): Record<string, string> {
  const labels = { team: 'blue' };
  const pod = makePod({ containers: [{ name: 'main', image: 'agent:1', env, envFrom }] }, { labels });
  const [container] = pod.spec.containers;
  return container === undefined ? {} : containerEnvironment(pod, container, facts, base, known);
}

test.each([
  ['$(A)', '1'],
  ['$(A)$(A)', '11'],
  ['$(B)', '$(B)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$1'],
  ['$A', '$A'],
  ['$(A', '$(A'],
  ['$(toString)', '$(toString)'],
])('%s expands to %s where A is 1', (text, expanded) => {
  expect(expand(text, { A: '1' })).toBe(expanded);
});

test("a variable may refer to earlier ones and the node's own, and not to later ones", () => {
  const env = [
    { name: 'A', value: '$(HOME)/a' },
    { name: 'B', value: '$(A) $(C)' },
    { name: 'C', value: 'c' },
  ];

  expect(environmentOf(env, { HOME: '/h' })).toEqual({ HOME: '/h', A: '/h/a', B: '/h/a $(C)', C: 'c' });
});

test.each([
  ['metadata.name', 'agent'],
  ['metadata.namespace', 'ci'],
  ['metadata.uid', 'uid-1'],
  ["metadata.labels['team']", 'blue'],
  ["metadata.annotations['none']", ''],
  ['spec.nodeName', 'node-1'],
  ['status.hostIP', '127.0.0.1'],
  ['status.podIP', '127.64.0.1'],
])('fieldRef %s is %p', (fieldPath, value) => {
  expect(environmentOf([{ name: 'X', valueFrom: { fieldRef: { fieldPath } } }])).toEqual({ X: value });
});

test.each([
  [{ secretKeyRef: { name: 'keys', key: 'k' } }, 'secret "keys" not found'],
  [{ configMapKeyRef: { name: 'settings', key: 'k' } }, 'configmap "settings" not found'],
  [{ secretKeyRef: { name: 'known', key: 'x' } }, "couldn't find key x in Secret ci/known"],
  [{ fieldRef: { fieldPath: 'spec.nothing' } }, 'unsupported fieldPath: spec.nothing'],
])('%j is a ContainerConfigError', (valueFrom, message) => {
  expect(() => environmentOf([{ name: 'X', valueFrom }])).toThrow(new ContainerConfigError(message));
});

test('an optional source that does not exist leaves its variable out', () => {
  const valueFrom = { secretKeyRef: { name: 'keys', key: 'k', optional: true } };

  expect(environmentOf([{ name: 'X', valueFrom }])).toEqual({});
});

describe('the keys of a Secret or a ConfigMap', () => {
  test('become variables, with a prefix, and those of the container itself win', () => {
    const envFrom = [{ prefix: 'S_', secretRef: { name: 'known' } }, { secretRef: { name: 'known' } }];

    expect(withSources([{ name: 'k', value: 'own' }], envFrom)).toEqual({ S_k: 'v', S_l: 'w', k: 'own', l: 'w' });
  });

  test.each([
    [{ secretRef: { name: 'keys' } }, 'secret "keys" not found'],
    [{ configMapRef: { name: 'settings' } }, 'configmap "settings" not found'],
  ])('%j must exist', (source, message) => {
    expect(() => withSources([], [source])).toThrow(new ContainerConfigError(message));
  });

  test('may be optional', () => {
    expect(withSources([], [{ secretRef: { name: 'keys', optional: true } }])).toEqual({});
  });
});
