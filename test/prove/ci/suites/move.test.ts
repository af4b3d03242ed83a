import { startTestRuntime, type TestRuntime } from '../../../support/start-test-runtime.ts';
import { until } from '../../cluster/until.ts';
import { GiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';
import { type KillRecorder, startKillRecorder } from '../queue/kill-recorder.ts';
import { giteaTokenSecret, giteaWebhookSecret, runnerImages, withQueue } from '../queue/queue-config.ts';
import { startRelay } from '../queue/relay.ts';
import { podsIn, runSeed } from '../queue/run-seed.ts';

const webhookSecret = 'a-secret-of-both-davits';
const started = new AsyncDisposableStack();
let gitea: Gitea;
let kills: KillRecorder;
let old: TestRuntime;
let next: TestRuntime;
beforeAll(async () => {
  gitea = started.use(await startGitea());
  kills = started.use(await startKillRecorder());
  old = await startDavit();
  next = started.use(await startDavit());
});
afterAll(() => started.disposeAsync());

/** Starts a davit with a cluster of its own. Both are of one Gitea organization, with the same labels. */
async function startDavit(): Promise<TestRuntime> {
  return startTestRuntime({
    changeConfig: (config) => withQueue(config, gitea.url),
    secrets: { [giteaTokenSecret]: gitea.adminToken, [giteaWebhookSecret]: webhookSecret },
    reconcileIntervalMs: 5000,
    sweepIntervalMs: 5000,
    sandbox: { images: await runnerImages(kills.url) },
  });
}

test('a move to another davit in the middle of a queue loses no job: install-helm.md, When to move to AWS', async () => {
  let current = old;
  let delivered = 0;
  // Points the webhook at the other davit while jobs run and wait.
  const instead = async () => {
    delivered += 1;
    if (delivered === 8) current = next;
    return false;
  };
  const target = () => `${current.runtime.url}/webhooks/gitea`;
  await using relay = await startRelay({ target, delayOf: () => 0, instead });
  const client = new GiteaClient(gitea);
  const world = {
    client,
    kills,
    webhookSecret,
    podsMade: async () => next.history.created('pods'),
    podsLeft: async () => podsIn([...old.history.left(), ...next.history.left()]),
  };

  const before = await runSeed(world, { organization: 'moves', seed: 1, webhookUrl: relay.url });
  const ofOld = old.history.created('pods').length;
  await until('the old davit has no agent', 120_000, async () => podsIn(old.history.left()).length === 0);
  await old[Symbol.asyncDispose]();
  const after = await runSeed(world, { organization: 'moved', seed: 2, webhookUrl: relay.url });

  expect([...before.problems, ...after.problems]).toEqual([]);
  expect(ofOld).toBeGreaterThan(0);
  expect(next.history.created('pods').length).toBeGreaterThan(after.counts.agents);
});
