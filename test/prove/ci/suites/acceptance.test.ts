import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { buildActRunner } from '../../cluster/programs/programs.ts';
import { until } from '../../cluster/until.ts';
import { firstJobCommands } from '../first-job/first-job.ts';
import { type Newcomer, startNewcomer } from '../first-job/newcomer.ts';
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
    programs: { act_runner: await buildActRunner() },
  });
  const commands = firstJobCommands('gitea.md', '--sandbox');
  const local = commands.findIndex((command) => command.startsWith('davit local'));
  for (const command of commands.slice(0, local + 1)) await newcomer.type(command);
});
afterAll(async () => {
  await newcomer[Symbol.asyncDispose]();
  await gitea[Symbol.asyncDispose]();
});

const acceptance = 'davit acceptance --repository acme/app --ci-system gitea --yes';

async function ask(path: string, method = 'GET'): Promise<unknown> {
  const headers = { authorization: `token ${gitea.adminToken}` };
  const answer = await fetch(`${gitea.url}/api/v1${path}`, { method, headers });
  return answer.status === 204 ? undefined : answer.json();
}

async function branches(): Promise<string[]> {
  return z
    .array(z.object({ name: z.string() }))
    .parse(await ask('/repos/acme/app/branches'))
    .map(({ name }) => name);
}

const Hooks = z.array(
  z.object({ id: z.int(), active: z.boolean(), events: z.array(z.string()), branch_filter: z.string() }),
);

/** Gives the repository a webhook of its own, in place of the organization's. */
async function takeOwnWebhook(): Promise<void> {
  for (const { id } of Hooks.parse(await ask('/orgs/acme/hooks'))) await ask(`/orgs/acme/hooks/${id}`, 'DELETE');
  await newcomer.type('davit webhook --scope acme/app');
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
    // The organization has the webhook, for all of its repositories.
    'lost-webhook': 'not-run',
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

describe('with a webhook of its own', () => {
  beforeAll(takeOwnWebhook);
  const scenario = `${acceptance} --scenario lost-webhook`;

  test('jobs whose webhook is lost are found in time, and the webhook is as it was', async () => {
    const before = Hooks.parse(await ask('/repos/acme/app/hooks'));

    await newcomer.type(`${scenario} --report lost.md 2>lost || { cat lost lost.md; false; }`);
    const report = await readFile(join(newcomer.folder, 'lost.md'), 'utf8');
    const listed = await newcomer.type('davit jobs 2>&1');

    expect(report).toMatch(/^\| lost-webhook \| held \| 4 \| 4 \| 0 \|/m);
    expect(report).toMatch(/^\| nothing-left \| held \|/m);
    expect(Hooks.parse(await ask('/repos/acme/app/hooks'))).toEqual(before);
    // Its deliveries are signed as before.
    expect(listed).not.toMatch(/refused/);
  });

  test('Ctrl-C while the webhook is off turns it on again', async () => {
    const script = [
      'set -m',
      `${scenario} 2>interrupted & run=$!`,
      "until grep -q 'webhook is off' interrupted; do sleep 0.1; done",
      'kill -INT $run',
      'wait $run || test $? = 130',
    ];
    let wasOff = false;
    const watching = until('the webhook is off', 120_000, async () => {
      wasOff ||= Hooks.parse(await ask('/repos/acme/app/hooks')).some(({ active }) => !active);
      return wasOff;
    });

    await Promise.all([newcomer.type(script.join('\n')), watching]);

    expect(Hooks.parse(await ask('/repos/acme/app/hooks'))).toMatchObject([{ active: true, events: ['workflow_job'] }]);
    expect(await branches()).toEqual(['main']);
  });
});
