import { generateKeyPairSync } from 'node:crypto';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Config } from '../../core/config/config.ts';
import { createGithubHook, deliveredJob } from '../../local/github/github-hook.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../local/github/github-webhooks.ts';
import { type CheckedGithub, startCheckedGithub } from '../prove/ci/github/start-checked-github.ts';
import { until } from '../prove/cluster/until.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { joining, joiningProfile, reconcileOnce } from './joining.ts';

const patienceMs = 120_000;
const privateKeySecret = 'acme-key';
/** Nothing listens at this address. */
const deadUrl = 'http://127.0.0.1:1/webhooks/acme';

let github: CheckedGithub;
let davit: TestRuntime;
let secret: string;
beforeAll(async () => {
  github = await startCheckedGithub(['acme']);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  // Two rounds at the same time might both request a delivery again.
  const { promise: firstRound, resolve: onReconciled } = Promise.withResolvers<unknown>();
  davit = await startTestRuntime({
    changeConfig: withApp,
    onReconciled,
    secrets: { [privateKeySecret]: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() },
  });
  await firstRound;
  secret = await davit.runtime.webhookSecret('acme');
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await github.stop();
});

/** Adds a GitHub in which davit acts as an App: only an App can list and repeat its deliveries. */
function withApp(config: Config): Config {
  const app = { id: 1, privateKeySecret };
  const system = { name: 'acme', provider: 'github', url: github.url, webhookSecret: 'acme-hook', app };
  const ciSystems = [...config.ciSystems, CiSystemConfig.parse(system)];
  return { ...config, ciSystems, profiles: [...config.profiles, joiningProfile(config)] };
}

test('reconcile requests a lost webhook again, once, and its job gets an agent', async () => {
  let webhooks: GithubWebhooks = createGithubWebhooks(deadUrl, secret);
  const hook = createGithubHook(github, () => webhooks);
  const [job] = github.state.queueRun('acme', 'app', [{ name: 'build', labels: [joining], steps: [] }]);
  const lost = await hook.deliver(deliveredJob(github, job), 'queued');
  webhooks = createGithubWebhooks(`${davit.runtime.url}/webhooks/acme`, secret);

  // A single look at the queue would launch nothing.
  await reconcileOnce(davit);
  await until('the delivery is repeated', patienceMs, async () => github.deliveries.length > 1);
  await reconcileOnce(davit);

  const launchId = `acme-${github.state.repositoryIdOf('acme', 'app')}-${job.id}-1`;
  expect(await davit.launches.show(launchId)).toMatchObject({ launchId, status: 'launching' });
  const [{ id, guid } = { id: 0, guid: '' }] = github.deliveries;
  expect(lost.status).toBe(502);
  expect(github.deliveries).toMatchObject([
    { id, guid, statusCode: 502, isRedelivery: false },
    { guid, statusCode: 202, isRedelivery: true },
  ]);
  expect(github.redelivered).toEqual([id]);
  await davit.runtime.eventsPublished();
  const repairs = davit.runtime.eventBus.events.filter(({ source }) => source === 'davit.reconcile');
  expect(repairs.map(({ detail }) => detail)).toMatchObject([{ repair: 'WebhookRedelivered', subject: guid }]);
  expect(github.problems).toEqual([]);
  await davit.launches.end(launchId);
});
