import { dollarsPerLaunch, settingsOf } from '../../../../cli/commands/console-command.ts';

const both = { DAVIT_URL: 'http://env', DAVIT_STACK: 'Env' };

test.each([
  ['the state directory', {}, {}, { davit: 'local, .davit' }],
  ["the environment's URL, as every command, rather than its stack", {}, both, { davit: 'http://env' }],
  ['a stack', { stack: 'Davit' }, both, { davit: 'stack Davit', dollarsPerLaunch }],
  ['a state directory that is named', { state: 'dir', isStateNamed: true }, both, { davit: 'local, dir' }],
])('the page names %s', (_what, named, env, shown) => {
  const settings = settingsOf({ port: 0, state: '.davit', ...named }, { env });

  expect(settings).toEqual({ pricePerHour: {}, version: expect.any(String), ...shown });
});
