import { rootFolder } from '../../../cdk/bundling.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { runProcess } from '../../../scripts/run-process.ts';

/** Runs `davit --help` on a Node.js that says another version. */
async function runOn(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return runProcess(process.execPath, ['--import', `data:text/javascript,${pretend}`, 'cli/davit.ts', '--help'], {
    cwd: rootFolder,
  });
}

test('on a Node.js that is too old, davit says so in one sentence', async () => {
  const { exitCode, output } = await runOn('20.20.2');

  expect(exitCode).toBe(1);
  expect(output).toBe('davit needs Node.js 24 or later, and this is 20.20.2: see https://nodejs.org/en/download\n');
});

test('the package asks for the same Node.js', async () => {
  expect(packageJson.engines.node).toBe('>=24');
  expect((await runOn('24.0.0')).exitCode).toBe(0);
});
