import { ContainerConfigError, containerEnvironment, expand } from '../../../../sandbox/node/environment.ts';
import { makePod } from './pod-fixtures.ts';

const facts = { nodeName: 'node-1', hostIP: '127.0.0.1', podIP: '127.64.0.1' };

function environmentOf(env: Record<string, unknown>[], base: Record<string, string> = {}): Record<string, string> {
  const labels = { team: 'blue' };
  const pod = makePod({ containers: [{ name: 'main', image: 'agent:1', env }] }, { labels });
  const [container] = pod.spec.containers;
  return container === undefined ? {} : containerEnvironment(pod, container, facts, base);
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
  [{ fieldRef: { fieldPath: 'spec.nothing' } }, 'unsupported fieldPath: spec.nothing'],
])('%j is a ContainerConfigError', (valueFrom, message) => {
  expect(() => environmentOf([{ name: 'X', valueFrom }])).toThrow(new ContainerConfigError(message));
});

test('an optional source that does not exist leaves its variable out', () => {
  const valueFrom = { secretKeyRef: { name: 'keys', key: 'k', optional: true } };

  expect(environmentOf([{ name: 'X', valueFrom }])).toEqual({});
});
