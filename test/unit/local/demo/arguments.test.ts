import { expect, test } from '@jest/globals';
import { readDemoArguments } from '../../../../local/demo/arguments.ts';

test('without arguments the demo shows one launch that works and is cleaned up', () => {
  expect(readDemoArguments([])).toEqual({ launches: 1, concurrency: 4, expose: 'nodePort', keep: false });
});

test('everything can be asked for', () => {
  const args = ['--launches', '20', '--concurrency', '10', '--expose', 'none', '--fail', 'crash', '--keep'];

  expect(readDemoArguments(args)).toEqual({
    launches: 20,
    concurrency: 10,
    expose: 'none',
    fail: 'crash',
    keep: true,
  });
});

test.each([
  ['--launches', '0'],
  ['--launches', '1001'],
  ['--launches', '1.5'],
  ['--launches', 'many'],
  ['--launches', ''],
  ['--concurrency', '101'],
  ['--expose', 'loadBalancer'],
  ['--fail', 'always'],
])('%s %s is refused by its name', (name, value) => {
  expect(() => readDemoArguments([`${name}=${value}`])).toThrow(new RegExp(`^${name}: `));
});

test('a real cluster is given with the address at which its Pods reach this machine', () => {
  const options = readDemoArguments(['--kubeconfig', 'kubeconfig', '--listen', '10.250.1.1']);

  expect(options).toMatchObject({ kubeconfig: 'kubeconfig', listen: '10.250.1.1' });
});

test.each([['--kubeconfig'], ['--listen']])('%s alone is refused', (name) => {
  expect(() => readDemoArguments([name, 'x'])).toThrow('--listen: expected together with --kubeconfig');
});

test('help is help, whatever else is asked for', () => {
  expect(readDemoArguments(['--launches', '0', '--help'])).toBe('help');
});
