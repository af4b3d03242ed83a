import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli.ts';
import { parseConfig } from '../../../core/config/read-config.ts';
import { answeringTerminal, type RecordingTerminal, recordingTerminal } from '../../support/recording-terminal.ts';

const jenkins = ['--ci', 'jenkins', '--ci-url', 'https://ci.example.com', '--ci-user', 'davit'];
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'davit-init-'));
  file = join(folder, 'davit.yaml');
});
afterEach(() => rm(folder, { recursive: true }));

/** @returns the exit code */
async function init(terminal: RecordingTerminal, ...args: string[]): Promise<number> {
  return (await runCli(['init', ...args, '--config', file], terminal)) ?? 0;
}

async function written() {
  return parseConfig(await readFile(file, 'utf8'), file);
}

describe('davit init for a Jenkins', () => {
  test('writes an agent that runs its jobs, in the sandbox', async () => {
    const exitCode = await init(recordingTerminal(), ...jenkins, '--sandbox', '--labels', 'linux, docker');

    const { ciSystems, profiles } = await written();
    expect(exitCode).toBe(0);
    expect(ciSystems).toMatchObject([{ provider: 'jenkins', url: 'https://ci.example.com', user: 'davit' }]);
    expect(profiles).toMatchObject([{ labels: ['linux', 'docker'], clusters: ['sandbox'], runner: 'jenkins' }]);
  });

  test('leaves out the slash at the end of the URL, which Jenkins itself shows', async () => {
    const url = 'https://ci.example.com/jenkins/';

    await init(recordingTerminal(), '--ci', 'jenkins', '--ci-url', url, '--ci-user', 'davit', '--sandbox');

    expect((await written()).ciSystems).toMatchObject([{ url: 'https://ci.example.com/jenkins' }]);
  });

  test('asks a person for what is missing, and Enter takes the defaults', async () => {
    const terminal = answeringTerminal('jenkins', 'https://ci.example.com', '', '', 'sandbox');

    await init(terminal);

    const { ciSystems, profiles } = await written();
    expect(terminal.notes.filter((note) => note.includes('?'))).toEqual([
      'Which CI system? (1 to 4) [1] ',
      'The URL of jenkins? ',
      "davit's user? [davit] ",
      'The labels of its jobs? [linux] ',
      expect.stringMatching(/^Which cluster\? \(1 to \d+\) \[1\] $/),
    ]);
    expect(ciSystems).toMatchObject([{ provider: 'jenkins', user: 'davit' }]);
    expect(profiles).toMatchObject([{ labels: ['linux'], clusters: ['sandbox'], runner: 'jenkins' }]);
  });

  test('asks nothing when the options say it all', async () => {
    await init(answeringTerminal(), ...jenkins, '--sandbox');

    expect((await written()).profiles).toMatchObject([{ labels: ['linux'] }]);
  });
});

describe('davit init writes no file, and names the option that is wrong:', () => {
  test.each([
    ['no URL', ['--ci', 'jenkins', '--sandbox'], /^error option-missing: --ci-url is required/],
    ['no user', jenkins.slice(0, 4), /^error option-missing: --ci-user is required/],
    ['no cluster', jenkins, /^error option-missing: --context, --eks or --sandbox is required/],
    ['a URL without a scheme', [...jenkins, '--sandbox', '--ci-url', 'ci'], /^--ci-url: expected a URL .*"ci"$/],
    ['a user that is none', [...jenkins, '--sandbox', '--ci-user', 'a:b'], /^--ci-user: expected the id .*"a:b"$/],
    ['no labels', [...jenkins, '--sandbox', '--labels', ','], /^--labels: expected a list of at least 1/],
    ['a label expression', [...jenkins, '--sandbox', '--labels', 'a && b'], /^--labels: .* found "a && b"$/],
    ['a wrong namespace', [...jenkins, '--sandbox', '--namespace', 'A B'], /^--namespace: /],
    [
      'an image in the sandbox',
      [...jenkins, '--sandbox', '--image', 'own:1'],
      /^error image-in-sandbox: .*jenkins-agent/,
    ],
    ['a user of Gitea', ['--ci', 'gitea', '--ci-user', 'davit'], /^error option-unused: --ci gitea has no --ci-user$/],
  ])('%s', async (_what, args, words) => {
    const terminal = recordingTerminal();

    const exitCode = await init(terminal, ...args);

    expect(exitCode).toBe(2);
    expect(terminal.notes[0]).toMatch(words);
    expect(terminal.lines).toEqual([]);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });
});

describe('davit init', () => {
  const standard = ['--ci', 'standard', '--sandbox'];
  const schema = () => readFile(join(folder, 'davit.schema.json'), 'utf8');

  test('writes a davit.yaml that names its schema, and the schema', async () => {
    await init(recordingTerminal(), '--ci', 'github', '--app', '1234567', '--eks', 'builds');

    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/davit\.schema\.json\n/);
    expect(text).toMatch(/\n {4}app:\n {6}id: 1234567\n/);
    expect(await schema()).toBe(await readFile('davit.schema.json', 'utf8'));
  });

  test('leaves a schema alone that is there', async () => {
    await writeFile(join(folder, 'davit.schema.json'), 'mine');

    await init(recordingTerminal(), ...standard);

    expect(await schema()).toBe('mine');
  });

  test('names a kubeconfig that cannot be read', async () => {
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = join(folder, 'none');
    const terminal = recordingTerminal();
    try {
      expect(await init(terminal, '--ci', 'standard', '--context', 'builds')).toBe(2);
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
    expect(terminal.notes.join('\n')).toMatch(/kubeconfig-invalid: the kubeconfig cannot be read: .*none/);
  });

  test('names an id that is none', async () => {
    const terminal = recordingTerminal();

    expect(await init(terminal, '--ci', 'github', '--app', 'Iv1.abc', '--eks', 'builds')).toBe(2);
    expect(terminal.notes.join('\n')).toMatch(/--app: expected the number that GitHub shows as App ID, found Iv1\.abc/);
  });
});
