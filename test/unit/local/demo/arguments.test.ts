import { readDemoArguments } from '../../../../local/demo/arguments.ts';

test('without arguments the demo shows one working launch and its clean-up', () => {
  expect(readDemoArguments([])).toEqual({ launches: 1, concurrency: 4, expose: 'nodePort', keep: false });
});

test('every option works', () => {
  const args = ['--launches', '20', '--concurrency', '10', '--expose', 'none', '--fail', 'crash', '--keep'];

  expect(readDemoArguments(args)).toEqual({ launches: 20, concurrency: 10, expose: 'none', fail: 'crash', keep: true });
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
])('%s %s is refused by name', (name, value) => {
  expect(() => readDemoArguments([`${name}=${value}`])).toThrow(new RegExp(`^${name}: `));
});

test('a real cluster needs the address at which its Pods reach this machine', () => {
  const options = readDemoArguments(['--kubeconfig', 'kubeconfig', '--listen', '10.250.1.1']);

  expect(options).toMatchObject({ kubeconfig: 'kubeconfig', listen: '10.250.1.1' });
});

test.each([['--kubeconfig'], ['--listen']])('%s alone is refused', (name) => {
  expect(() => readDemoArguments([name, 'x'])).toThrow('--listen: expected together with --kubeconfig');
});

test('help takes precedence over every other option', () => {
  expect(readDemoArguments(['--launches', '0', '--help'])).toBe('help');
});
