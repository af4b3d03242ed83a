import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import { createGithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import { credentialKeySecret } from '../../../../local/runtime/local-secrets.ts';
import { newJob } from '../../../e2e/jobs.ts';
import { credentialInPod, credentialOf } from '../../../support/agent-credentials.ts';
import { expectOneAgent, type FailedAttempts, recordFailedAttempts } from '../../../support/expect-one-agent.ts';
import { holdAddresses } from '../../../support/held-addresses.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';

/** A little longer than the interval after which a wrong signature makes functions read the secret again. */
const pastTheLimitMs = 10_500;
/** A little longer than the time before a new key signs. */
const untilItSignsMs = 20_500;
const firstToken = 'the-first-token';

let davit: AwsTestRuntime;
let failedAttempts: FailedAttempts;
/** The only token that the cluster accepts. */
let takenToken = firstToken;
let refusals = 0;
const addresses = holdAddresses();

beforeAll(async () => {
  davit = await startAwsTestRuntime({
    changeConfig: (config) => withProfiles(config, { idle: { agent: idle } }),
    sandbox: { token: firstToken, isToken, node: { behaviour: { forPod: addresses.forPod } } },
  });
  failedAttempts = recordFailedAttempts(davit.runtime);
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

function isToken(token: string): boolean {
  if (token === takenToken) return true;
  refusals += 1;
  return false;
}

/** Puts a new version of a secret. */
function rotate(name: string, text = randomBytes(32).toString('base64url')): string {
  davit.runtime.secrets.put(name, text);
  return text;
}

async function connectStatus(launchId: string, credential: string): Promise<number> {
  const answer = await fetch(`${davit.runtime.url}/agents/${agentNameOf(launchId)}/connect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}` },
  });
  await answer.arrayBuffer();
  return answer.status;
}

test('credentials from before and after a rotation are accepted in the middle of a launch', async () => {
  const launchId = apiLaunchId('rotated key');
  addresses.hold(launchId);
  const created = davit.history.until('pods', ({ metadata }) => metadata.name === agentNameOf(launchId));
  await davit.launches.request({ profile: 'idle', jobId: 'rotated key' });
  await created;
  const before = credentialInPod(davit, agentNameOf(launchId)) ?? '';

  // A launch that has no token yet is answered with 503.
  const answers = [await connectStatus(launchId, before)];
  rotate(credentialKeySecret);
  await sleep(untilItSignsMs);
  const after = await credentialOf(davit.runtime, launchId);
  answers.push(await connectStatus(launchId, after));
  answers.push(await connectStatus(launchId, before));
  answers.push(await connectStatus(launchId, `${before.slice(0, -4)}AAAA`));

  expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
  expect(answers).toEqual([503, 503, 503, 401]);
  addresses.tell(davit.cluster.sandbox, launchId);
  await davit.launches.end(launchId);
});

test('webhooks are accepted throughout the rotation of their secret', async () => {
  const url = `${davit.runtime.url}/webhooks/github`;
  const secret = davit.config.ciSystems[0]?.webhookSecret ?? '';
  const statuses = [(await davit.github.deliver(newJob(['no profile']), 'queued')).status];

  const rotated = createGithubWebhooks(url, rotate(secret));
  await sleep(pastTheLimitMs);
  statuses.push((await davit.github.deliver(newJob(['no profile']), 'queued')).status);
  statuses.push((await rotated.deliver(newJob(['no profile']), 'queued')).status);
  statuses.push((await davit.github.deliver(newJob(['no profile']), 'queued')).status);
  const stranger = createGithubWebhooks(url, 'of nobody');

  expect(statuses).toEqual([200, 200, 200, 200]);
  expect((await stranger.deliver(newJob(['no profile']), 'queued')).status).toBe(401);
});

test("a cluster's token that changes in the middle of a launch fails no attempt", async () => {
  const launchId = apiLaunchId('rotated token');
  const { kubeconfig, sandbox } = davit.cluster;
  addresses.hold(launchId);
  const created = davit.history.until('pods', ({ metadata }) => metadata.name === agentNameOf(launchId));
  await davit.launches.request({ profile: 'linux', jobId: 'rotated token' });
  await created;

  takenToken = 'the-second-token';
  for (const cluster of davit.config.clusters) {
    if ('kubeconfigSecret' in cluster) {
      rotate(cluster.kubeconfigSecret, kubeconfig.replaceAll(firstToken, takenToken));
    }
  }
  addresses.tell(sandbox, launchId);

  await expectOneAgent(davit, launchId);
  expect(failedAttempts.get(launchId)).toBeUndefined();
  expect(refusals).toBeGreaterThan(0);
});
