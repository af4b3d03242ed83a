import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runCli } from '../../../../cli/run-cli.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { recordingTerminal } from '../../../support/recording-terminal.ts';

const systems = [
  { name: 'gitea', provider: 'gitea', url: 'http://127.0.0.1:1', webhookSecret: 'hook', tokenSecret: 'token' },
  { name: 'jenkins', provider: 'jenkins', url: 'http://127.0.0.1:1', user: 'd', webhookSecret: 'h', tokenSecret: 't' },
];
const cluster = { name: 'builds', kubeconfigSecret: 'kubeconfig' };
const profile = {
  name: 'linux',
  labels: ['linux'],
  clusters: ['builds'],
  namespace: 'agents',
  runner: 'gitea',
  scope: 'repository',
  repositories: ['acme/*'],
};

const folder = newFolder();
writeFileSync(join(folder, 'davit.yaml'), stringify({ ciSystems: systems, clusters: [cluster], profiles: [profile] }));

async function acceptance(...args: string[]) {
  const terminal = recordingTerminal();
  const where = ['--config', join(folder, 'davit.yaml'), '--url', 'http://127.0.0.1:1', '--token', 't'];
  const exitCode = await runCli(['acceptance', ...where, ...args], terminal);
  return { exitCode, output: [...terminal.lines, ...terminal.notes].join('\n') };
}

const gitea = ['--ci-system', 'gitea', '--repository', 'acme/app'];

test.each([
  ['a repository that is none', ['--ci-system', 'gitea', '--repository', 'app'], 2, /Expected OWNER\/NAME/],
  ['no repository', ['--ci-system', 'gitea'], 2, /--repository is required: gitea is a gitea/],
  ['a folder of a Gitea', [...gitea, '--folder', 'team'], 2, /--folder is for a Jenkins/],
  ['a folder that is none', ['--ci-system', 'jenkins', '--folder', '/team/'], 2, /such as team\/acceptance/],
  ['an unknown scenario', [...gitea, '--scenario', 'chaos'], 2, /no scenario chaos: there are single, matrix, burst/],
  ['a burst that is too large', [...gitea, '--burst', '257'], 2, /Expected a number from 1 to 256/],
  ['an unknown CI system', ['--ci-system', 'github', '--repository', 'acme/app'], 3, /it has gitea, jenkins/],
  ['a repository of a Jenkins', ['--ci-system', 'jenkins', '--repository', 'acme/app'], 2, /has no repositories/],
  ['no profile for a Jenkins', ['--ci-system', 'jenkins'], 2, /no profile of .* registers runners in jenkins\b/],
  ['no profile', ['--ci-system', 'gitea', '--repository', 'other/app'], 2, /no profile of .* --label LABEL/s],
  ['a namespace without a kubeconfig', [...gitea, '--namespace', 'agents'], 2, /belong together/],
  ['a davit that does not answer', gitea, 5, /davit cannot be reached/],
])('%s is named', async (_what, args, exitCode, words) => {
  const ended = await acceptance(...args);

  expect(ended).toEqual({ exitCode, output: expect.stringMatching(words) });
});

test('the help has every scenario, and says what it runs on', async () => {
  const { exitCode, output } = await acceptance('--help');

  expect(exitCode).toBe(0);
  expect(output).toMatch(/pod-deleted +a job whose Pod is deleted/);
  expect(output).toMatch(/runs on GitHub, Gitea and Jenkins/);
});
