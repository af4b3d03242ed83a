import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { firstJobCommands } from '../first-job/first-job.ts';
import { type Newcomer, startNewcomerWith } from '../first-job/newcomer.ts';
import { type Acme, startAcme } from '../gitea/start-acme.ts';
import type { Gitea } from '../gitea/start-gitea.ts';

let acme: Acme;
let gitea: Gitea;
let newcomer: Newcomer;
beforeAll(async () => {
  acme = await startAcme();
  ({ gitea } = acme);
  newcomer = await startNewcomerWith(gitea);
  const commands = firstJobCommands('gitea.md', '--sandbox');
  const local = commands.findIndex((command) => command.startsWith('davit local'));
  for (const command of commands.slice(0, local + 1)) await newcomer.type(command);
});
afterAll(async () => {
  await newcomer[Symbol.asyncDispose]();
  await acme[Symbol.asyncDispose]();
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

test("jobs whose lost webhook is the repository's own are found in time, and the webhook is as it was", async () => {
  // In place of the organization's.
  for (const { id } of Hooks.parse(await ask('/orgs/acme/hooks'))) await ask(`/orgs/acme/hooks/${id}`, 'DELETE');
  await newcomer.type('davit webhook --scope acme/app');
  const before = Hooks.parse(await ask('/repos/acme/app/hooks'));

  const run = `${acceptance} --scenario lost-webhook --report lost.md 2>lost`;
  await newcomer.type(`${run} || { cat lost lost.md; false; }`);
  const report = await readFile(join(newcomer.folder, 'lost.md'), 'utf8');
  const listed = await newcomer.type('davit jobs 2>&1');

  expect(report).toMatch(/^\| lost-webhook \| held \| 4 \| 4 \| 0 \|/m);
  expect(report).toMatch(/^\| nothing-left \| held \|/m);
  expect(before).toMatchObject([{ active: true, events: ['workflow_job'] }]);
  expect(Hooks.parse(await ask('/repos/acme/app/hooks'))).toEqual(before);
  // Its deliveries are signed as before.
  expect(listed).not.toMatch(/refused/);
});
