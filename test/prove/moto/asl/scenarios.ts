import { createDynamoTokenPublisher } from '../../../../adapters/aws/create-dynamo-tokens.ts';
import { createDynamoClient } from '../../../../adapters/aws/dynamo-table.ts';
import { agentNameOf } from '../../../../core/launch/names.ts';
import type { FaultRule } from '../../../../sandbox/faults.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import type { AwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';

/** A launch that takes one path through the state machine. */
export interface Scenario {
  title: string;
  profile: string;
  /** Prepares the path, before the launch is requested; returns a function that undoes this. */
  before?: Before;
  /** Something that happens while the launch is in a state. */
  during?: { state: string; act: (davit: AwsTestRuntime, launchId: string) => Promise<void> };
  /** The states that it enters. */
  way: readonly string[];
  /** Its execution's error; absent when it succeeds. */
  error?: string;
}

type Undo = () => void;
type Before = (davit: AwsTestRuntime, launchId: string) => Promise<void> | Undo;

const namespace = 'davit-agents';
const exposedWay = ['IsExposed', 'CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken'];
const failed = ['CleanUp', 'IsConnected', 'LaunchFailed'];
const until = (state: string) => exposedWay.slice(0, exposedWay.indexOf(state) + 1);

/**
 * Every state, and every exit of each: success, Retry and Catch. Stopping is missing: moto's engine continues after it.
 */
export const scenarios: readonly Scenario[] = [
  { title: 'an agent connects', profile: 'linux', way: exposedWay },
  {
    title: 'an agent that dials out connects',
    profile: 'linux-dial-out',
    way: ['IsExposed', 'CreatePod', 'PollHostIP', 'PublishToken'],
  },
  {
    title: 'the cluster is away for a moment',
    profile: 'linux',
    before: withFault({
      match: { verb: 'create', resource: 'pods' },
      effect: { kind: 'drop', when: 'before' },
      count: 2,
    }),
    way: exposedWay,
  },
  {
    title: 'the name of the Service is taken',
    profile: 'idle',
    before: takeName('services', 'Service', { ports: [{ port: 80 }] }),
    way: [...until('CreateService'), ...failed],
    error: 'NameCollision',
  },
  {
    title: 'no nodePort comes',
    profile: 'no-port',
    before: withoutNodePort,
    way: [...until('PollNodePort'), ...failed],
    error: 'NodePortDeadlineExceeded',
  },
  {
    title: 'the name of the Pod is taken',
    profile: 'idle',
    before: takeName('pods', 'Pod', { containers: [{ name: 'theirs', image: 'davit.dev/idle' }] }),
    way: [...until('CreatePod'), ...failed],
    error: 'NameCollision',
  },
  {
    title: 'no node fits the Pod',
    profile: 'unschedulable',
    way: [...until('PollHostIP'), ...failed],
    error: 'PlacementDeadlineExceeded',
  },
  {
    title: 'another token is published',
    profile: 'idle',
    before: publishAnother,
    way: [...until('PublishToken'), ...failed],
    error: 'TokenConflict',
  },
  {
    title: 'no agent connects',
    profile: 'silent',
    way: [...until('PublishToken'), ...failed],
    error: 'ConnectDeadlineExceeded',
  },
  {
    title: 'the Pod is evicted, and the next agent connects',
    profile: 'second-try',
    during: { state: 'PublishToken', act: evict },
    way: [...exposedWay, 'Relaunch', ...exposedWay],
  },
  {
    title: 'the Pod is evicted, and no relaunch is left',
    profile: 'no-luck',
    during: { state: 'PublishToken', act: evict },
    way: [...exposedWay, 'Relaunch', ...failed],
    error: 'PodEvicted',
  },
  {
    title: 'a step fails after the agent has connected',
    profile: 'no-port',
    before: withoutNodePort,
    during: { state: 'PollNodePort', act: connect },
    way: [...until('PollNodePort'), 'CleanUp', 'IsConnected', 'AgentConnected'],
  },
  {
    title: 'the objects cannot be removed',
    profile: 'silent',
    before: withFault({
      match: { verb: 'list', resource: 'services' },
      effect: { kind: 'answer', answer: { code: 403, reason: 'Forbidden', message: 'services is forbidden: User' } },
    }),
    way: [...until('PublishToken'), 'CleanUp', 'CleanUpFailed'],
    error: 'TerminalError',
  },
];

function withFault(rule: FaultRule): Before {
  return (davit) => davit.cluster.sandbox.faults.add(rule);
}

function withoutNodePort(davit: AwsTestRuntime): Undo {
  const effect = { kind: 'late-node-ports', delayMs: 600_000 } as const;
  return davit.cluster.sandbox.faults.add({ match: { verb: 'create', resource: 'services' }, effect, count: 1 });
}

async function connect({ runtime }: AwsTestRuntime, launchId: string): Promise<void> {
  await runtime.ports.launches.markConnected({ launchId, agentName: agentNameOf(launchId) }, Date.now());
}

function takeName(resource: 'services' | 'pods', kind: string, spec: Record<string, unknown>): Before {
  return ({ cluster }, launchId) => {
    const metadata = { name: agentNameOf(launchId), namespace, labels: { whose: 'theirs' } };
    const { store } = cluster.sandbox;
    store.create(resource, { apiVersion: 'v1', kind, metadata, spec });
    return () => store.delete(resource, namespace, metadata.name);
  };
}

async function publishAnother({ runtime }: AwsTestRuntime, launchId: string): Promise<void> {
  const { dynamoDbUrl, secretAccessKey, tokensTable: tableName } = runtime.services;
  const publisher = createDynamoTokenPublisher({
    client: createDynamoClient(localAws(dynamoDbUrl, secretAccessKey)),
    tableName,
  });
  const token = {
    agentName: agentNameOf(launchId),
    launchId,
    host: '192.0.2.1',
    port: 1,
    tls: false,
    publishedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2036-01-01T00:00:00.000Z',
  };
  await publisher.publish({ token });
}

/** Evicts a Pod as a kubelet under memory pressure does. */
async function evict({ cluster }: AwsTestRuntime, launchId: string): Promise<void> {
  const pod = cluster.sandbox.store.get('pods', namespace, agentNameOf(launchId));
  if (pod === undefined) throw new Error(`${launchId} has no Pod`);
  await cluster.sandbox.node.evict(pod);
}
