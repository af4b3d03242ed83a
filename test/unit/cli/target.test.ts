import { targetOf } from '../../../cli/api/target.ts';

const env = { DAVIT_URL: 'http://env', DAVIT_STACK: 'Env' };

test.each([
  ['the state directory, by default', {}, {}, { kind: 'state' }],
  ['a URL, without its trailing slash', { url: 'http://a/' }, {}, { kind: 'url', url: 'http://a' }],
  ['a stack', { stack: 'Davit' }, {}, { kind: 'stack', stack: 'Davit' }],
  ['a URL rather than a stack', { url: 'http://a', stack: 'Davit' }, {}, { kind: 'url', url: 'http://a' }],
  ['an option rather than the environment', { stack: 'Davit' }, env, { kind: 'stack', stack: 'Davit' }],
  [
    'a URL rather than a state directory',
    { url: 'http://a', isStateNamed: true },
    {},
    { kind: 'url', url: 'http://a' },
  ],
  ['a state directory rather than the environment', { isStateNamed: true }, env, { kind: 'state' }],
  ['the state directory, if the environment is empty', {}, { DAVIT_URL: '', DAVIT_STACK: '' }, { kind: 'state' }],
  ["the environment's URL rather than its stack", {}, env, { kind: 'url', url: 'http://env' }],
  ["the environment's stack", {}, { DAVIT_STACK: 'Env' }, { kind: 'stack', stack: 'Env' }],
])('a command is for %s', (_what, options, environment, target) => {
  expect(targetOf(options, environment)).toEqual(target);
});
