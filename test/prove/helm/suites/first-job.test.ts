import * as z from 'zod';
import { commandsOf, untilOver } from '../../ci/first-job/first-job.ts';
import { until } from '../../cluster/until.ts';
import { type EmptyCluster, startEmptyCluster } from '../start-empty-cluster.ts';

const page = 'install-helm.md';
const leftMs = 120_000;

let place: EmptyCluster;
beforeAll(async () => {
  place = await startEmptyCluster();
}, 1_500_000);
afterAll(() => place[Symbol.asyncDispose]());

test('six commands of docs/install-helm.md lead from an empty cluster to a green job, and nothing of it is left', async () => {
  const { client, davitUrl, type } = place;
  const commands = commandsOf(page, 'Install', 'davit list');

  const printed: string[] = [];
  for (const command of commands.slice(0, -1)) printed.push(await type(command));
  await untilOver(client);
  const listed = await type(commands.at(-1) ?? '');
  const log = await type('kubectl --namespace davit logs davit-0');

  expect(commands.length).toBeLessThanOrEqual(6);
  expect((await client.listRuns('acme', 'app')).map(({ conclusion }) => conclusion)).toEqual(['success']);
  expect((await client.listJobs('acme', 'app')).map((job) => job.runner_name)).toEqual([
    expect.stringMatching(/^davit-/),
  ]);
  expect(await client.listTasks('acme', 'app')).toHaveLength(1);
  // A lost webhook would only make it late.
  expect(log).toMatch(/POST \/webhooks\/gitea → 202/);
  expect(listed.match(/^gitea-\S+ +(connected|cleaning|terminated) +linux/gm)).toHaveLength(1);
  expect(printed.join('')).toContain(`webhook of gitea: acme: ${davitUrl}/webhooks/gitea`);
  await until('no Pod and no runner is left', leftMs, async () => (await pods()) + (await runners()) === 0);
}, 600_000);

test('the commands of docs/install-helm.md that check an installation find nothing', async () => {
  const [tests, doctor] = commandsOf(page, 'Install', 'helm test');

  const tested = await place.type(tests ?? '');
  const found = await place.type(doctor ?? '');

  expect(tested).toMatch(/Phase:\s+Succeeded/);
  expect(found).toMatch(/ok +CI system gitea: acme: webhook/);
}, 300_000);

async function pods(): Promise<number> {
  const { api, namespace } = place;
  const { body } = await api.send(`/api/v1/namespaces/${namespace}/pods`);
  return z.object({ items: z.array(z.unknown()) }).parse(body).items.length;
}

async function runners(): Promise<number> {
  const { client } = place;
  return (await client.listRunners('acme')).length + (await client.listRunners('acme', 'app')).length;
}
