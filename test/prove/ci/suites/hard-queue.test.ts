import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../../core/config/read-config.ts';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { until } from '../../cluster/until.ts';
import { GiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';
import { startKillRecorder } from '../queue/kill-recorder.ts';
import { giteaTokenSecret, giteaWebhookSecret, runnerImages, withQueue } from '../queue/queue-config.ts';
import { startRelay } from '../queue/relay.ts';
import { podsIn, type QueueWorld, runSeed, workflowOfOneStep } from '../queue/run-seed.ts';
import { type DavitProcess, startKillableDavit } from '../queue/start-killable-davit.ts';
import { startTroubledProxy, type TroubledProxy } from '../queue/troubled-proxy.ts';

/** Odd seeds only: a re-run needs a Gitea that may be away. */
const seeds = [2001, 2003, 2005];
const random = seededRandom(2000);
const forbidden = 'not-allowed';
/** Between two kills, in milliseconds. */
const pauseMs = () => 4000 + random() * 8000;

const started = new AsyncDisposableStack();
let gitea: Gitea;
/** Between Gitea and davit. It injects faults. */
let proxy: TroubledProxy;
let davit: DavitProcess;
let queue: QueueWorld;

beforeAll(async () => {
  proxy = started.use(await startTroubledProxy(() => gitea.url, random));
  // Gitea names its jobs by its public URL.
  gitea = started.use(await startGitea({ rootUrl: proxy.url }));
  const kills = started.use(await startKillRecorder());
  const read = await readConfig('davit.yaml');
  const config = withQueue(read, proxy.url, { scope: 'repository', repositories: ['*/app'] });
  const webhookSecret = randomUUID();
  const secrets = { [giteaTokenSecret]: gitea.adminToken, [giteaWebhookSecret]: webhookSecret };
  const killable = started.use(await startKillableDavit(config, await runnerImages(kills.url), secrets));
  ({ davit } = killable);
  const { history } = killable;
  queue = {
    kills,
    webhookSecret,
    client: new GiteaClient(gitea),
    podsMade: async () => history.created('pods'),
    podsLeft: async () => podsIn(history.left()),
  };
});
afterAll(() => started.disposeAsync());

test('every permitted job runs, and no forbidden one, while davit is killed, Gitea restarts, and its API is slow and fails', async () => {
  const target = () => `${davit.url}/webhooks/gitea`;
  await using relay = await startRelay({ target, delayOf: () => random() * 1000 });
  const committed = Promise.withResolvers<void>();
  let left = seeds.length;
  let kills = 0;
  let restarts = 0;

  const running = seeds.map((seed) =>
    runSeed(queue, {
      organization: `hard${seed}`,
      seed,
      webhookUrl: relay.url,
      forbidden,
      size: { tens: 1, hasNeeds: false },
      onCommitted: () => {
        left -= 1;
        if (left === 0) committed.resolve();
      },
    }),
  );
  const over = new AbortController();
  const all = Promise.all(running).finally(() => over.abort());
  const killing = (async () => {
    for (; kills < 4 && !over.signal.aborted; kills += 1) {
      await sleep(pauseMs());
      await davit.restart();
    }
  })();
  const restarting = (async () => {
    await committed.promise;
    for (; restarts < 2 && !over.signal.aborted; restarts += 1) {
      await sleep(pauseMs());
      await proxy.betweenTasks(() => gitea.restart());
    }
  })();
  await Promise.all([killing, restarting]);
  proxy.calm();
  const outcomes = await all;

  expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
  expect(kills).toBeGreaterThan(0);
  expect(restarts).toBeGreaterThan(0);
  expect(Object.entries(proxy.hits).filter(([, hits]) => hits === 0)).toEqual([]);
  // A kill may have lost those deliveries.
  await queue.client.commitWorkflow('hard2001', forbidden, 'again.yaml', workflowOfOneStep);
  await until('davit refuses a job of the forbidden repository', 60_000, async () =>
    relay.answers.some(({ status, body }) => status === 200 && body.includes(`takes no jobs of hard2001/${forbidden}`)),
  );
});
