import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import { describeApi } from '../../functions/describe-api/describe-api.ts';
import type { Registration } from '../../local/demo/ci-server.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import type { LaunchShown } from '../support/launches-client.ts';
import { registration } from './jobs.ts';
import { type DavitAnywhere, startAnywhere } from './start-anywhere.ts';

let davit: DavitAnywhere;
beforeAll(async () => {
  davit = await startAnywhere();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

describe('a launch that works', () => {
  test('goes from a signed webhook to a job step in the agent, and is gone when the job is completed', async () => {
    const launchId = 'github-186853002-501-1';
    const runner = { id: 1, name: `davit-${launchId}` };
    const job = { id: 501, labels: ['self-hosted', 'linux', 'k8s'], runner };

    const queued = await davit.github.deliver(job, 'queued');
    const { token } = await registration(davit, { agentName: runner.name });
    const step = await davit.ci.run(token, { run: ['sh', '-c', 'echo built; exit 7'] });
    const completed = await davit.github.deliver(job, 'completed');
    const { status, ...shown } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(queued).toMatchObject({ status: 202, body: { launchId, profile: 'linux' } });
    expect(step).toEqual({ exitCode: 7, output: 'built\n' });
    expect(completed).toMatchObject({ status: 202, body: { launchId, status: 'cleaning' } });
    expect(status).toBe('terminated');
    expect(await davit.history.left(launchId)).toEqual([]);
    expectWholeTimeline(shown);
  });

  test('enters 4 states, creates no Service, and advertises the Pod itself when its agent dials out', async () => {
    const services = await davit.history.created('services');

    const { launchId, token } = await launch('four', 'linux-dial-out');

    const pod = await objectOf('pods', launchId);
    expect(await davit.runtime.ports.executions.status(launchId)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await davit.history.created('services')).toEqual(services);
    expect(pod.metadata.ownerReferences).toBeUndefined();
    expect(token).toMatchObject({ host: pod.status?.['podIP'], port: 8811 });
  });
});

describe('each object in the cluster', () => {
  let launchId: string;
  let service: KubeObject;
  let pod: KubeObject;
  let token: Registration['token'];

  beforeAll(async () => {
    ({ launchId, token } = await launch('an object in the cluster', 'linux', {
      labels: { 'example.com/branch': 'main', team: 'mobile' },
      env: { GREETING: 'hello from the caller' },
      sourceUrl: 'https://ci.example.com/jobs/1',
    }));
    service = await objectOf('services', launchId);
    pod = await objectOf('pods', launchId);
  });

  test("carries the launch's labels, the caller's labels, and the source", () => {
    const ours = {
      'app.kubernetes.io/managed-by': 'davit',
      'app.kubernetes.io/name': 'davit-agent',
      'davit.dev/launch-id': launchId,
      'davit.dev/agent-name': `davit-${launchId}`,
      'davit.dev/profile': 'linux',
    };
    const from = { 'davit.dev/execution': launchId, 'davit.dev/source-url': 'https://ci.example.com/jobs/1' };

    expect(service.metadata).toMatchObject({ name: `davit-${launchId}`, labels: ours, annotations: from });
    expect(pod.metadata).toMatchObject({ name: `davit-${launchId}`, labels: ours, annotations: from });
    // The profile's template says which team owns these Pods; a caller cannot override it.
    expect(pod.metadata.labels).toMatchObject({ 'example.com/branch': 'main', team: 'platform' });
  });

  test("is a NodePort Service on the Pod's own node, with a port that the cluster chose", () => {
    expect(service.spec).toMatchObject({
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      publishNotReadyAddresses: true,
      selector: { 'davit.dev/agent-name': `davit-${launchId}` },
      ports: [{ port: 8811, targetPort: 8811, nodePort: token.port }],
    });
  });

  test('is a Pod that the Service owns, that is not restarted, and that autoscalers do not evict', () => {
    const { uid } = service.metadata;

    expect(pod.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Service',
        name: `davit-${launchId}`,
        uid,
        controller: false,
        blockOwnerDeletion: true,
      },
    ]);
    expect(pod.metadata.annotations).toMatchObject({
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
      'karpenter.sh/do-not-disrupt': 'true',
    });
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      topologySpreadConstraints: [{ topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }],
    });
  });

  test("is an agent with the caller's environment and davit's", async () => {
    const { output } = await davit.ci.run(token, {
      run: ['sh', '-c', 'echo "$GREETING; $DAVIT_AGENT_NAME; $DAVIT_CONNECT_URL; ${#DAVIT_CREDENTIAL}"'],
    });

    const [greeting, agentName, connectUrl, credentialLength] = output.trim().split('; ');
    expect({ greeting, agentName, connectUrl }).toEqual({
      greeting: 'hello from the caller',
      agentName: `davit-${launchId}`,
      connectUrl: `${davit.runtime.url}/agents/davit-${launchId}/connect`,
    });
    expect(Number(credentialLength)).toBeGreaterThan(100);
  });
});

type TimeKey = 'timeline' | 'connectedAt' | 'cleanedAt';

/**
 * Checks that a successful launch has all moments, in order. The cluster's own times are whole seconds. It may schedule
 * a Pod before davit receives the answer to the Pod's creation. `containersAt` is missing when the cluster has deleted
 * the Pod, with its Service, before the clean-up reads it.
 */
function expectWholeTimeline({ timeline, connectedAt, cleanedAt }: Pick<LaunchShown, TimeKey>): void {
  const moments: Record<string, string | undefined> = { ...timeline, connectedAt, cleanedAt };
  const ofDavit = ['startedAt', 'serviceAt', 'portAt', 'podAt', 'hostAt', 'tokenAt', 'connectedAt', 'cleanedAt'];
  const containers = timeline?.containersAt === undefined ? [] : ['containersAt'];
  const ofCluster = ['portAt', 'scheduledAt', ...containers, 'connectedAt'];
  const known = new Map(Object.entries(moments).map(([name, at]) => [name, Date.parse(at ?? '')]));
  const inMs = ofDavit.map((name) => known.get(name) ?? Number.NaN);
  const inSeconds = ofCluster.map((name) => Math.floor((known.get(name) ?? Number.NaN) / 1000));
  const ascending = (one: number, other: number) => one - other;

  expect([...known.keys()].toSorted()).toEqual([...new Set([...ofDavit, ...ofCluster])].toSorted());
  expect(inMs).toEqual(inMs.toSorted(ascending));
  expect(inSeconds).toEqual(inSeconds.toSorted(ascending));
}

/** Requests a launch and waits until its agent has connected and its execution is over. */
async function launch(jobId: string, profile: string, given: object = {}): Promise<Launched> {
  await davit.launches.request({ profile, jobId, ...given });
  const launchId = apiLaunchId(jobId);
  const { token } = await registration(davit, { agentName: agentNameOf(launchId) });
  await untilExecutionEnds(davit.runtime, launchId);
  return { launchId, token };
}

interface Launched {
  launchId: string;
  token: Registration['token'];
}

/** @throws Error when there is none */
function objectOf(resource: 'services' | 'pods', launchId: string): Promise<KubeObject> {
  return davit.history.object(resource, agentNameOf(launchId));
}

describe('the API', () => {
  test('describes itself, and answers 304 to a caller that has the description', async () => {
    const { url, launchesToken } = davit.runtime;
    const ask = (headers: Record<string, string>) =>
      fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${launchesToken}`, ...headers } });

    const first = await ask({});
    const again = await ask({ 'if-none-match': first.headers.get('etag') ?? '' });

    expect(await first.json()).toEqual(JSON.parse(JSON.stringify(describeApi())));
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });

  test('describes itself only to callers with the token of this run', async () => {
    const answer = await fetch(`${davit.runtime.url}/openapi.json`);

    expect(answer.status).toBe(401);
  });
});
