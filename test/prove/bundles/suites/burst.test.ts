import { Config } from '../../../../core/config/config.ts';
import { labelKeys } from '../../../../core/launch/names.ts';
import type { GithubJob } from '../../../../local/github/github-state.ts';
import { createGithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import { secretsOf, withGithub } from '../../../e2e/joining.ts';
import { isThrottledBy, troubleIn } from '../../../support/burst-trouble.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { bundles } from '../../../support/start-test-runtime.ts';
import { type CheckedGithub, startCheckedGithub } from '../../ci/github/start-checked-github.ts';
import { until } from '../../cluster/until.ts';

const jobs = 36;
/** The number of concurrent webhooks. */
const senders = 20;
const patienceMs = 240_000;
const image = 'davit.dev/pulled-for-ever';

let github: CheckedGithub;
let davit: AwsTestRuntime;
/** The operations that are throttled now. */
let throttled: ReadonlySet<string> = new Set();
let throttledCalls = 0;

beforeAll(async () => {
  github = await startCheckedGithub(['acme']);
  davit = await startAwsTestRuntime({
    changeConfig: withRunners,
    secrets: secretsOf(github),
    reconcileIntervalMs: 5000,
    // A busy machine answers late, too, and only a probe reports that the cluster is back.
    probeIntervalMs: 5000,
    sweepIntervalMs: 5000,
    // The agents do not matter here, and a Pod in the middle of its image pull has no process.
    sandbox: {
      images: { [image]: { command: ['false'] } },
      node: { behaviour: { forPod: () => ({ imagePullMs: 2 ** 31 - 1 }) } },
    },
    isThrottled: (service, operation) => {
      const isOne = isThrottledBy(throttled, service, operation);
      if (isOne) throttledCalls += 1;
      return isOne;
    },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await github.stop();
});

function withRunners(config: Config): Config {
  const template = { spec: { containers: [{ name: 'agent', image }] } };
  const where = { clusters: ['sandbox'], namespace: 'davit-agents' };
  const profile = { ...where, name: 'burst', labels: ['burst'], runner: 'github', template };
  return Config.parse({ ...withGithub(config, github), profiles: [profile] });
}

/**
 * Sends the webhook of each job as fast as possible, and throttles services in the middle.
 *
 * @returns each job's answer
 */
async function sendAll(queued: readonly GithubJob[]): Promise<Map<GithubJob, number>> {
  const hook = createGithubWebhooks(`${davit.runtime.url}/webhooks/acme`, await davit.runtime.webhookSecret('acme'));
  const id = github.state.repositoryIdOf('acme', 'app');
  const answers = new Map<GithubJob, number>();
  const send = async (job: GithubJob) => {
    const fields = { run_id: job.runId, created_at: new Date(job.queuedAtEpochMs).toISOString() };
    const delivered = { id: job.id, labels: job.labels, repository: { id, owner: 'acme', name: 'app' }, fields };
    const { status } = await hook.deliver(delivered, 'queued');
    answers.set(job, status);
    throttled = new Set(troubleIn(queued.length, answers.size));
  };
  const unsent = queued.values();
  const sendOn = async () => {
    for (const job of unsent) await send(job);
  };
  await Promise.all(Array.from({ length: senders }, sendOn));
  throttled = new Set();
  return answers;
}

/** The job in each Pod's launch id: `acme-REPOSITORY-JOB-ATTEMPT`, with a suffix for replacements. */
function jobsWithPods(): number[] {
  return davit.cluster.sandbox.store
    .list('pods')
    .map(({ metadata }) => Number(metadata.labels?.[labelKeys.launchId]?.split('-')[2]));
}

const ascending = (one: number, other: number) => one - other;

// With bundles, each invocation starts a process. A hundred at once would measure the machine, not davit.
const testOnSources = bundles === undefined ? test : test.skip;

testOnSources('each accepted webhook of a burst is launched, and reconciliation finds each refused one', async () => {
  const queued = github.state.queueRun(
    'acme',
    'app',
    Array.from({ length: jobs }, (_, index) => ({ name: `job ${index}`, labels: ['burst'], steps: ['true'] })),
  );

  const answers = await sendAll(queued);
  const launched = await until('each job has a Pod', patienceMs, async () => {
    const found = jobsWithPods();
    return queued.every(({ id }) => found.includes(id)) ? found : undefined;
  });

  // 200 means a duplicate: a repeated write whose first answer was lost.
  const statuses = new Set(answers.values());
  expect([...statuses].filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(202);
  expect([...statuses].some((status) => status >= 500)).toBe(true);
  expect(throttledCalls).toBeGreaterThan(0);
  expect(launched.toSorted(ascending)).toEqual(queued.map(({ id }) => id).toSorted(ascending));
  expect(github.problems).toEqual([]);
});
