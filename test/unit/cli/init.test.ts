import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli.ts';
import { parseConfig } from '../../../core/config/read-config.ts';
import { newFolder } from '../../support/new-folder.ts';
import { answeringTerminal, type RecordingTerminal, recordingTerminal } from '../../support/recording-terminal.ts';

const jenkins = ['--ci', 'jenkins', '--ci-url', 'https://ci.example.com', '--ci-user', 'davit'];
let folder: string;
let file: string;
beforeEach(async () => {
  folder = newFolder();
  file = join(folder, 'davit.yaml');
});

/** @returns the exit code */
async function init(terminal: RecordingTerminal, ...args: string[]): Promise<number> {
  return (await runCli(['init', ...args, '--config', file], terminal)) ?? 0;
}

async function written() {
  return parseConfig(await readFile(file, 'utf8'), file);
}

test('davit init writes a davit.yaml that names its schema, and the schema', async () => {
  await init(recordingTerminal(), '--ci', 'github', '--app', '1234567', '--eks', 'builds');

  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/davit\.schema\.json\n/);
  expect(text).toMatch(/\n {4}app:\n {6}id: 1234567\n/);
  expect(await readFile(join(folder, 'davit.schema.json'), 'utf8')).toBe(await readFile('davit.schema.json', 'utf8'));
});

test('a schema that is there stays', async () => {
  await writeFile(join(folder, 'davit.schema.json'), 'mine');

  await init(recordingTerminal(), '--ci', 'standard', '--sandbox');

  expect(await readFile(join(folder, 'davit.schema.json'), 'utf8')).toBe('mine');
});

test('a kubeconfig that cannot be read is named', async () => {
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = join(folder, 'none');
  const terminal = recordingTerminal();
  try {
    expect(await init(terminal, '--ci', 'standard', '--context', 'builds')).toBe(2);
    expect(terminal.notes[0]).toMatch(/kubeconfig-invalid: the kubeconfig cannot be read: .*none/);
  } finally {
    if (before === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = before;
  }
});

test.each(['Aborted with Ctrl+C', 'Aborted with Ctrl+D'])(
  'a question that a person ends is Ctrl-C: %s',
  async (words) => {
    const ended = Object.assign(new Error(words), { name: 'AbortError' });
    const terminal = { ...answeringTerminal(), question: () => Promise.reject(ended) };

    const exitCode = await init(terminal, '--sandbox');

    expect([exitCode, terminal.notes.at(-1)]).toEqual([130, 'error interrupted: stopped at a question']);
  },
);

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
      'Which CI system? (1 to 7) [1] ',
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

test('davit init for a Forgejo asks for the URL and the scope, and writes an agent that runs its jobs', async () => {
  const terminal = answeringTerminal('forgejo', 'https://forgejo.example.com', 'orgs/acme', '', 'sandbox');

  await init(terminal);

  expect(terminal.notes).toEqual(
    expect.arrayContaining(['The URL of forgejo? ', 'Whose jobs? (admin, user, orgs/NAME or repos/OWNER/NAME) ']),
  );
  const { ciSystems, profiles } = await written();
  expect(ciSystems).toMatchObject([{ provider: 'forgejo', url: 'https://forgejo.example.com', scope: 'orgs/acme' }]);
  expect(profiles).toMatchObject([{ labels: ['docker'], clusters: ['sandbox'], runner: 'forgejo' }]);
});

describe('davit init writes no file, and names the option that is wrong:', () => {
  const sandboxed = [...jenkins, '--sandbox'];
  const gitea = ['--ci', 'gitea', '--ci-url', 'https://gitea.example', '--sandbox'];
  const forgejo = ['--ci', 'forgejo', '--ci-url', 'https://forgejo.example', '--sandbox'];
  const gitlab = ['--ci', 'gitlab', '--sandbox'];
  const scopes = 'admin, user, orgs/ORGANIZATION or repos/OWNER/REPOSITORY';
  test.each([
    ['no URL', ['--ci', 'jenkins', '--sandbox'], /^error option-missing: --ci-url is required/],
    ['no user', jenkins.slice(0, 4), /^error option-missing: --ci-user is required/],
    ['no cluster', jenkins, /^error option-missing: --context, --eks or --sandbox is required/],
    ['a URL without a scheme', [...sandboxed, '--ci-url', 'ci'], /^--ci-url: expected a URL .*"ci"$/],
    ['a user that is none', [...sandboxed, '--ci-user', 'a:b'], /^--ci-user: expected the id .*"a:b"$/],
    ['no labels', [...sandboxed, '--labels', ','], /^--labels: expected a list of 1\.\.96, found an empty list/],
    ['a label expression', [...sandboxed, '--labels', 'a && b'], /^--labels: .* found "a && b"$/],
    ['a wrong namespace', [...sandboxed, '--namespace', 'A B'], /^--namespace: /],
    ['an image in the sandbox', [...sandboxed, '--image', 'own:1'], /^error image-in-sandbox: .*jenkins-agent/],
    ["GitHub's App of Gitea", [...gitea, '--app', '7'], /^error option-unused: --ci gitea has no --app$/],
    [
      'an id that is none',
      ['--ci', 'github', '--app', 'Iv1.abc', '--eks', 'builds'],
      /^error app-invalid: --app: expected the number that GitHub shows as App ID, found Iv1\.abc$/,
    ],
    ['a region without EKS', [...gitea, '--region', 'eu-west-1'], /^error option-unused: --region is for --eks$/],
    ['a scope that is none', [...forgejo, '--ci-scope', 'acme'], `--ci-scope: expected ${scopes}, found "acme"`],
    ['a scope of Gitea', [...gitea, '--ci-scope', 'user'], /^error option-unused: --ci gitea has no --ci-scope$/],
    ['no group', gitlab, /^error option-missing: --ci-organization is required/],
    [
      'a group that is none',
      [...gitlab, '--ci-organization', '/acme'],
      /^--ci-organization: expected a group's path, as in its URL: acme or acme\/tools, found "\/acme"$/,
    ],
    ['a user of Gitea', [...gitea, '--ci-user', 'davit'], /^error option-unused: --ci gitea has no --ci-user$/],
  ])('%s', async (_what, args, words) => {
    const terminal = recordingTerminal();

    const exitCode = await init(terminal, ...args);

    expect(exitCode).toBe(2);
    expect(terminal.notes[0]).toMatch(words);
    expect(terminal.lines).toEqual([]);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });
});
