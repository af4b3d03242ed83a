import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../cluster/until.ts';
import { firstJobCommands } from '../first-job/first-job.ts';
import { actRunner, type Newcomer, startNewcomer } from '../first-job/newcomer.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient, type GiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';

let gitea: Gitea;
let client: GiteaClient;
let newcomer: Newcomer;
beforeAll(async () => {
  gitea = await startGitea(await buildGitea((text) => process.stderr.write(`${text}\n`)));
  client = createGiteaClient(gitea);
  await client.createOrganization('acme');
  await client.createRepository('acme', 'app');
  newcomer = await startNewcomer({
    env: { GITEA: gitea.url, GITEA_TOKEN: gitea.adminToken },
    more: { local: ['--listen', '127.0.0.1:0'] },
    programs: actRunner,
  });
  const commands = firstJobCommands('gitea.md', '--sandbox');
  const webhook = commands.findIndex((command) => command.startsWith('davit webhook'));
  for (const command of commands.slice(0, webhook + 1)) await newcomer.type(command);
});
afterAll(async () => {
  await newcomer[Symbol.asyncDispose]();
  await gitea[Symbol.asyncDispose]();
});

const acceptance = 'davit acceptance --repository acme/app --ci-system gitea --yes';

async function branches(): Promise<string[]> {
  const headers = { authorization: `token ${gitea.adminToken}` };
  const answer = await fetch(`${gitea.url}/api/v1/repos/acme/app/branches`, { headers });
  return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
}

test('a davit on a real Gitea holds in every scenario that needs no cluster, and the report says so without names', async () => {
  await newcomer.type(`${acceptance} --burst 8 --report report.md`);
  const report = await readFile(join(newcomer.folder, 'report.md'), 'utf8');

  const verdicts = [...report.matchAll(/^\| ([a-z-]+) \| ([a-z-]+) \|/gm)].map(([, name, verdict]) => [name, verdict]);
  expect(Object.fromEntries(verdicts)).toMatchObject({
    single: 'held',
    matrix: 'held',
    burst: 'held',
    // `not-run`: an agent took the job before it was cancelled.
    'cancel-queued': expect.stringMatching(/^(held|not-run)$/),
    'cancel-running': 'held',
    rerun: 'held',
    // Here an agent connects in a quarter of a second: the suite on a real Kubernetes deletes a Pod before.
    'pod-deleted': 'not-run',
    'nothing-left': 'held',
    trace: 'held',
  });
  expect(report).not.toMatch(/acme|linux|127\.0\.0\.1|davit-acceptance-/);
  expect(await branches()).toEqual(['main']);
});

test('Ctrl-C in the middle cancels the job, and leaves no branch', async () => {
  const before = (await client.listJobs('acme', 'app')).length;
  const script = [
    'set -m',
    `${acceptance} --scenario cancel-running 2>interrupted & run=$!`,
    'until grep -q queued interrupted; do sleep 0.1; done',
    'kill -INT $run',
    'wait $run || test $? = 130',
  ];

  await newcomer.type(script.join('\n'));
  const progress = await readFile(join(newcomer.folder, 'interrupted'), 'utf8');
  await until('every job is over', 60_000, async () => {
    const jobs = await client.listJobs('acme', 'app');
    return jobs.length > before && jobs.every(({ status }) => status === 'completed');
  });

  expect(progress).toMatch(/stopped by Ctrl-C/);
  expect((await client.listJobs('acme', 'app')).map(({ conclusion }) => conclusion)).toContain('cancelled');
  expect(await branches()).toEqual(['main']);
});
