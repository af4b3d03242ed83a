import { Agent } from 'undici';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import { PodView, ServiceView } from '../../core/pod/kubernetes-objects.ts';
import { tokenWait } from '../../functions/connect/connect.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import { Faults } from '../../sandbox/faults.ts';
import type { ApiObject } from '../contract/api-client.ts';
import { credentialInPod, credentialOf } from '../support/agent-credentials.ts';
import type { FollowedHistory } from '../support/followed-history.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { type AgentAnswers, raceToConnect, tokenOf } from '../support/racing-agent.ts';
import { type DavitAnywhere, isReal, startAnywhere } from './start-anywhere.ts';

/** They all start at once. */
const launchCount = 10;
/** The same seed gives the same delays. */
const seed = 4267;

/** A launch whose agent asked early. */
interface Raced extends AgentAnswers {
  startedBeforeItsService: boolean;
  /** The launch's address in the cluster, read when the agent had its tokens. */
  clusterSays: { host: unknown; port: unknown };
  /** Its final status. */
  status: string;
}

/**
 * QB-4267: an agent that started before its NodePort was known got port 0. Here agents ask without pauses, from before
 * their Services exist. Meanwhile every call to Kubernetes is slow and, in the sandbox, nodePorts are late.
 */
describe(`${launchCount} agents that ask before their Services exist`, () => {
  let raced: Raced[] = [];
  let changes: FollowedHistory['changes'] = [];
  let left: string[] = [];

  beforeAll(async () => {
    await using davit = await startAnywhere({
      changeConfig: (config) => withProfiles(config, { idle: { agent: idle } }),
      sandbox: { faults: slowFaults(), node: { behaviour: { hostIPDelayMs: 100 } } },
    });
    const connections = new Agent({ connections: launchCount });
    await using resources = new AsyncDisposableStack();
    resources.defer(() => connections.close());
    const jobIds = Array.from({ length: launchCount }, (_, index) => `race-${index}`);
    raced = await raceAll(davit, connections, jobIds);
    await davit.history.untilNothingIsLeft();
    ({ changes } = davit.history);
    left = await davit.history.left();
  });

  test('get 503, not yet, then 200, and nothing else', () => {
    // On a busy machine davit may answer 503 because it is overloaded. That answer says nothing about the token.
    const answered = raced.map(({ answers }) => answers.filter((answer) => answer !== '503 unavailable'));
    const patterns = new Set(answered.map((answers) => answers.join(',').replaceAll(/([^,]+)(,\1)*/g, '$1')));
    const early = '503 token-pending,200';
    // An early request may have waited for its turn until the token was published: on a real cluster, all of them.
    const others = [...patterns].filter((pattern) => pattern !== early && pattern !== '200');

    expect(others).toEqual([]);
    expect(isReal || patterns.has(early)).toBe(true);
    expect(raced.filter(({ startedBeforeItsService }) => startedBeforeItsService)).toHaveLength(launchCount);
  });

  test("get the nodePort of their Service and the address of their Pod's node", () => {
    const told = raced.map((agent) => ({ host: tokenOf(agent).host, port: tokenOf(agent).port }));

    expect(told).toEqual(raced.map(({ clusterSays }) => clusterSays));
  });

  test('get the same answer however often they ask', () => {
    const tellings = raced.map(({ tokens }) => ({ tokens: tokens.length, different: new Set(tokens).size }));

    expect(tellings).toEqual(raced.map(() => ({ tokens: 4, different: 1 })));
  });

  test('have Pods that were created after their Services had a nodePort', () => {
    const portAtCreation = portsWhenPodsWereCreated(changes);

    expect(portAtCreation).toHaveLength(launchCount);
    expect(portAtCreation.filter((port) => typeof port !== 'number')).toEqual([]);
  });

  test(`have Services of which ${isReal ? 'none' : 'some'} had no nodePort at first`, () => {
    const late = changes.filter(
      ({ type, resource, object }) => type === 'ADDED' && resource === 'services' && nodePortOf(object) === undefined,
    );

    expect(late.length > 0).toBe(!isReal);
  });

  test('leave nothing behind when their launches are ended', () => {
    expect(left).toEqual([]);
    expect(new Set(raced.map(({ status }) => status))).toEqual(new Set(['terminated']));
  });
});

/** Every call takes up to 60 ms longer. Half of the Services get their nodePort late, and some very late. */
function slowFaults(): Faults {
  const faults = new Faults({ seed });
  const services = { verb: 'create', resource: 'services' } as const;
  faults.add({ match: {}, effect: { kind: 'delay', delayMs: [0, 60] } });
  faults.add({ match: services, effect: { kind: 'late-node-ports', delayMs: 60 }, probability: 0.5 });
  faults.add({ match: services, effect: { kind: 'late-node-ports', delayMs: 400 }, probability: 0.2 });
  return faults;
}

/**
 * Requests launches, and starts each one's agent with its execution. By then its record exists, as for every real
 * agent, and its Service does not. Until its Pod exists, the agent uses a credential that is too old for connect to
 * wait for the token.
 */
async function raceAll(davit: DavitAnywhere, connections: Agent, jobIds: string[]): Promise<Raced[]> {
  const credentials = new Map<string, string>();
  for (const launchId of jobIds.map(apiLaunchId))
    credentials.set(launchId, await credentialOf(davit.runtime, launchId, tokenWait.ageMs));
  const racing: Promise<Raced>[] = [];
  const stop = davit.runtime.onExecutionEvent(({ type, launchId }) => {
    const credential = credentials.get(launchId);
    if (type === 'started' && credential !== undefined) racing.push(race(davit, connections, launchId, credential));
  });
  await Promise.all(jobIds.map((jobId) => davit.launches.request({ profile: 'idle', jobId })));
  stop();
  return Promise.all(racing);
}

/** @param podless the credential to use until the Pod exists */
async function race(davit: DavitAnywhere, connections: Agent, launchId: string, podless: string): Promise<Raced> {
  const { launches, runtime } = davit;
  const credential = () => credentialInPod(davit, agentNameOf(launchId)) ?? podless;
  const serviceAtStart = serviceIn(davit.history, launchId);
  const answers = await raceToConnect({ launchId, credential, davit: connections, origin: runtime.url, asksAgain: 3 });
  const port = nodePortOf(await objectOf(davit, 'services', launchId));
  const host = PodView.parse(await objectOf(davit, 'pods', launchId)).status?.hostIP;
  await launches.end(launchId);
  const { status } = await launches.until(launchId, 'terminated', 'failed');
  return { ...answers, startedBeforeItsService: serviceAtStart === undefined, clusterSays: { host, port }, status };
}

function serviceIn({ changes }: FollowedHistory, launchId: string): KubeObject | undefined {
  return changes.find(
    ({ resource, object }) => resource === 'services' && object.metadata.name === agentNameOf(launchId),
  )?.object;
}

/** Reads one object from the API server: the history would first wait for all others that are being created. */
async function objectOf({ api }: DavitAnywhere, resource: 'services' | 'pods', launchId: string): Promise<ApiObject> {
  return (await api.send(`/api/v1/namespaces/davit-agents/${resource}/${agentNameOf(launchId)}`)).body;
}

function nodePortOf(service: KubeObject | ApiObject | undefined): number | undefined {
  return ServiceView.parse(service).spec.ports?.[0]?.nodePort;
}

/** The nodePort of each Pod's Service at the Pod's creation, by comparison of resource versions. */
function portsWhenPodsWereCreated(changes: FollowedHistory['changes']): (number | undefined)[] {
  const created = changes.filter(({ resource, type }) => resource === 'pods' && type === 'ADDED');
  return created.map(({ object: pod }) => {
    const before = changes.findLast(
      ({ resource, object }) =>
        resource === 'services' && object.metadata.name === pod.metadata.name && versionOf(object) < versionOf(pod),
    );
    return nodePortOf(before?.object);
  });
}

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
