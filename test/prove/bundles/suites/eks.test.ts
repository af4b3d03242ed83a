import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, EksServer } from '../../../../core/config/config.ts';
import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import { type StsIdentity, tokenSignedAtEpochMs, verifyEksToken } from '../../../support/eks-authenticator.ts';
import { expectOneAgent, type FailedAttempts, recordFailedAttempts } from '../../../support/expect-one-agent.ts';
import { holdAddresses } from '../../../support/held-addresses.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { type FakeEks, startFakeEks } from '../../../support/start-fake-eks.ts';

const region = 'eu-central-1';
const clusterName = 'build-eu';
const role: StsIdentity = {
  arn: 'arn:aws:sts::111122223333:assumed-role/davit/steps',
  accessKeyId: 'ASIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: 'a/session+token==',
};

let resources: AsyncDisposableStack;
let davit: AwsTestRuntime;
let eks: FakeEks;
let server: EksServer | undefined;
let failedAttempts: FailedAttempts;
const addresses = holdAddresses();

/** Every token that the cluster received, and why it refused the token. */
const shown = new Map<string, string | undefined>();
/** Tokens signed before this time are expired, as if their fifteen minutes had passed. */
let expiredBeforeEpochMs = 0;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  eks = resources.use(await startFakeEks(() => server ?? { status: 'CREATING' }));
  davit = resources.use(
    await startAwsTestRuntime({
      changeConfig: withEksCluster,
      sandbox: { isToken, node: { behaviour: { forPod: addresses.forPod } } },
      aws: {
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: role.accessKeyId,
        AWS_SECRET_ACCESS_KEY: role.secretAccessKey,
        AWS_SESSION_TOKEN: role.sessionToken ?? '',
        AWS_ENDPOINT_URL_EKS: eks.url,
      },
    }),
  );
  const { url, caPem } = davit.cluster.sandbox;
  server = { endpoint: url, certificateAuthority: Buffer.from(caPem).toString('base64') };
  failedAttempts = recordFailedAttempts(davit.runtime);
});
afterEach(() => davit.cluster.sandbox.faults.clear());
afterAll(() => resources.disposeAsync());

/** The repository's profile, on a cluster of EKS. */
function withEksCluster(config: Config): Config {
  const [first] = config.profiles;
  if (first === undefined) throw new Error('the config has no profile');
  return {
    ...config,
    clusters: [{ name: 'prod', eks: { clusterName } }],
    profiles: [{ ...first, name: 'prod', labels: ['prod'], clusters: ['prod'] }],
  };
}

/** Accepts a token as the authenticator and STS do. */
function isToken(token: string): boolean {
  shown.set(token, refusalOf(token));
  return shown.get(token) === undefined;
}

function refusalOf(token: string): string | undefined {
  try {
    verifyEksToken({ clusterName, region, identities: [role], nowEpochMs: Date.now }, token);
    return tokenSignedAtEpochMs(token) < expiredBeforeEpochMs ? 'X-Amz-Date parameter is expired' : undefined;
  } catch (error) {
    return String(error);
  }
}

test('a launch on EKS sends the cluster only tokens of its role, for this cluster', async () => {
  const launchId = await davit.launches.request({ profile: 'prod', jobId: 'by IAM' });

  await expectOneAgent(davit, launchId);
  expect(failedAttempts.get(launchId)).toBeUndefined();
  expect(shown.size).toBeGreaterThan(0);
  expect(new Set(shown.values())).toEqual(new Set([undefined]));
});

test('tokens that expire in the middle of a launch are replaced within the attempt', async () => {
  const { faults } = davit.cluster.sandbox;
  const launchId = apiLaunchId('expires');
  addresses.hold(launchId);
  // After each watch that ends, the Pod is read again.
  faults.add({ match: { verb: 'watch', resource: 'pods' }, effect: { kind: 'close-watch', afterMs: 300 } });

  await davit.launches.request({ profile: 'prod', jobId: 'expires' });
  await untilRead(launchId);
  // A token names the second of its signature: one of the next second differs from the expired ones.
  const nextSecondEpochMs = Math.floor(Date.now() / 1000) * 1000 + 1000;
  await sleep(nextSecondEpochMs - Date.now());
  expiredBeforeEpochMs = nextSecondEpochMs;
  const refusedBefore = refusals();
  await untilRead(launchId);
  addresses.tell(davit.cluster.sandbox, launchId);

  await expectOneAgent(davit, launchId);
  expect(refusals()).toBeGreaterThan(refusedBefore);
  expect(failedAttempts.get(launchId)).toBeUndefined();
});

test('no token, and no key that signs them, is in any log or record', async () => {
  const logs = join(davit.stateDirectory, 'logs');
  const files = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')));
  const written = files.join('\n');

  expect(written).toContain('CreateService done');
  for (const secret of [...shown.keys(), role.secretAccessKey, role.sessionToken ?? '']) {
    expect(written).not.toContain(secret);
  }
});

function refusals(): number {
  return [...shown.values()].filter((why) => why !== undefined).length;
}

/** Resolves when a request that the cluster admits reads the launch's Pod. */
function untilRead(launchId: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = davit.cluster.sandbox.faults.onRequest(({ verb, resource, name }) => {
      if (verb !== 'get' || resource !== 'pods' || name !== agentNameOf(launchId)) return;
      stop();
      resolve();
    });
  });
}
