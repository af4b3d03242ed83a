import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runCli } from '../../../cli/run-cli.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';
import { type FakeScaleSets, startFakeScaleSets } from '../../support/scale-set/start-fake-scale-set.ts';

let fake: FakeScaleSets;
let folder: string;
beforeEach(async () => {
  fake = await startFakeScaleSets('acme');
  folder = newFolder();
  await writeFile(join(folder, 'token'), fake.github.token);
  const scaleSet = { organization: 'acme', profile: 'linux', name: 'builds' };
  const hub = { name: 'hub', provider: 'github', url: fake.url, tokenSecret: 'token', events: 'scaleSet', scaleSet };
  const profile = { name: 'linux', labels: ['linux'], clusters: ['c'], namespace: 'agents', runner: 'github' };
  const clusters = [{ name: 'c', kubeconfigSecret: 'kubeconfig' }];
  await writeFile(join(folder, 'davit.yaml'), stringify({ clusters, ciSystems: [hub], profiles: [profile] }));
  fake.sets.push({ id: 7, name: 'builds', runnerGroupId: 1, labels: [{ name: 'linux', type: 'System' }] });
  // That of a davit that is gone.
  fake.session = { id: 'left', token: 'behind' };
});
afterEach(() => fake.stop());

const secret = () => ['--secret', `token=${join(folder, 'token')}`];

async function remove(name: string, ...args: string[]) {
  const terminal = recordingTerminal();
  const exitCode =
    (await runCli(['remove-scale-set', name, '--config', join(folder, 'davit.yaml'), ...args], terminal)) ?? 0;
  return { exitCode, output: [...terminal.lines, ...terminal.notes] };
}

function makeRunner(): void {
  fake.github.state.register({ name: 'davit-1', labels: ['linux'], groupId: 1, scope: 'acme' });
}

test('a set that nobody uses is removed with the session of a davit that is gone; repeating is safe', async () => {
  const first = await remove('hub', ...secret());
  const second = await remove('hub', ...secret());

  expect(first).toEqual({ exitCode: 0, output: ['removed the scale set builds'] });
  expect([fake.sets, fake.session]).toEqual([[], undefined]);
  expect(second).toEqual({ exitCode: 0, output: ['there is no scale set builds'] });
});

test('a set with runners or jobs is removed only if a person says so', async () => {
  makeRunner();

  const refused = await remove('hub', ...secret());
  const left = fake.sets.length;
  const abandoned = await remove('hub', '--abandon', ...secret());

  expect(refused).toEqual({
    exitCode: 1,
    output: [
      'error scale-set-in-use: the scale set builds is in use: runners: 1, jobs that are not over: 0',
      'Wait until its jobs are over. --abandon removes it nevertheless.',
    ],
  });
  expect(left).toBe(1);
  expect([abandoned.exitCode, fake.sets]).toEqual([0, []]);
});

test('a CI system without a scale set, a token that is wrong, and one that is not here are named', async () => {
  const unknown = await remove('github', ...secret());
  const elsewhere = await remove('hub', '--url', 'http://127.0.0.1:1');
  await writeFile(join(folder, 'token'), 'wrong');
  const wrong = await remove('hub', ...secret());

  expect(unknown).toEqual({
    exitCode: 3,
    output: [
      expect.stringMatching(/^error scale-set-unknown: .* has no CI system github with a scale set: it has hub$/),
    ],
  });
  expect(elsewhere).toEqual({
    exitCode: 5,
    output: [expect.stringMatching(/^error ci-unavailable: .*--secret token=FILE shows it/)],
  });
  expect(wrong).toEqual({
    exitCode: 4,
    output: [expect.stringMatching(/^error ci-refused: .*401/), expect.stringContaining('docs/github.md')],
  });
  expect(fake.sets).toHaveLength(1);
});
