import { rm } from 'node:fs/promises';
import { runCli } from '../../../cli/run-cli.ts';
import { type Program, startProgram } from '../../e2e/davit-process.ts';
import { getLocalhost } from '../../support/get-localhost.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';

let demo: Program;
let state: string;
beforeAll(async () => {
  demo = startProgram('local/demo/main.ts', ['--keep']);
  [, state = ''] = await demo.detail(/davit\S* list --state (\S+)$/);
});
afterAll(async () => {
  await demo[Symbol.asyncDispose]();
  await rm(state, { recursive: true });
});

/** @returns what the command line prints about the demo */
async function linesOf(command: string): Promise<string[]> {
  const terminal = recordingTerminal();
  await runCli([command, '--state', state], terminal);
  return terminal.lines;
}

test('a demo that stays up is looked at by the same commands', async () => {
  expect(await linesOf('list')).toEqual([
    expect.stringMatching(/^LAUNCH/),
    expect.stringMatching(/ connected .* build$/),
  ]);
  expect((await linesOf('clusters')).join('\n')).toMatch(/sandbox/);
});

test('console serves a page that asks that davit, until Ctrl-C', async () => {
  await using program = startProgram('cli/davit.ts', ['console', '--state', state]);
  const [, link = ''] = await program.detail(/^Open (\S+)$/);
  const { headers } = (await getLocalhost(new URL(link))).answer;
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const read = async (path: string) => (await getLocalhost(new URL(path, link), { cookie })).body.toString();

  const page = await read('/');
  const script = await read('/console.js');
  const listed = await read('/api/clusters');
  const { exitCode } = await program.kill('SIGINT');

  expect(page).toContain('src="/console.js"');
  expect(script.length).toBeGreaterThan(10_000);
  expect(JSON.parse(listed)).toMatchObject({ clusters: [{ name: 'sandbox' }] });
  expect(exitCode).toBe(0);
});

test('the program itself ends with the exit code, and passes options on to the programs that it runs', async () => {
  const unknown = await startProgram('cli/davit.ts', ['show', 'nope', '--state', state]).ended;
  const help = await startProgram('cli/davit.ts', ['demo', '--help']).ended;
  const wrong = await startProgram('cli/davit.ts', ['demo', '--launches', '0']).ended;

  expect(unknown).toMatchObject({ exitCode: 3, stdout: [] });
  expect(help).toMatchObject({ exitCode: 0, stderr: [] });
  expect(help.stdout[0]).toBe('davit demo [options]');
  expect(wrong).toMatchObject({ exitCode: 2, stderr: [expect.stringMatching(/^--launches: /)] });
});
