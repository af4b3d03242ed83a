import { pathToFileURL } from 'node:url';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import type { Config, Profile } from '../../../core/config/config.ts';
import { labelKeys } from '../../../core/launch/names.ts';
import type { KubeObject } from '../../../sandbox/cluster-store.ts';
import type { HistoryEvent } from '../../support/aws/stepfunctions/history-event.ts';
import { untilExecutionEnds } from '../../support/execution-events.ts';
import { localDynamoDb } from '../../support/local-dynamo-db.ts';
import { idle, withProfiles } from '../../support/profile-like.ts';
import type { AwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { agentOf } from './agent-environment.ts';
import type { Item, Moment, RecordedLaunch } from './recording.ts';

/**
 * The launches to record: an exposed one with every option, through every state twice; an unexposed one; one that
 * fails. Their agents do nothing by themselves, so that nothing changes during the recording of a moment.
 */
const recordedProfiles: Record<string, Partial<Profile>> = {
  relaunched: { maxAgentLifetimeSeconds: 86_400, removeExitedAfterSeconds: 3600, tls: true },
  'dial-out': { expose: 'none' },
  failed: {},
};

/** The fate of each profile's agents once PublishToken has begun, by generation. */
const oncePublishedIn: Record<string, ((davit: AwsTestRuntime, launchId: string) => Promise<void>)[]> = {
  relaunched: [evict, connect],
  'dial-out': [connect],
};

/** Adds a profile for each launch to record. */
export function withRecordedProfiles(config: Config): Config {
  const added = withProfiles(config, {
    relaunched: { agent: idle },
    'dial-out': { agent: idle },
    failed: { agent: { image: 'registry.example.com/none:1' }, graces: { imagePullSeconds: 1 } },
  });
  return { ...added, profiles: added.profiles.map((profile) => ({ ...profile, ...recordedProfiles[profile.name] })) };
}

/** Runs a launch of each kind from its request to its end. @returns the launches by their profiles' names */
export async function recordLaunches(davit: AwsTestRuntime): Promise<Map<string, RecordedLaunch>> {
  const recorded = new Map<string, RecordedLaunch>();
  for (const profile of Object.keys(recordedProfiles)) recorded.set(profile, await recordLaunch(davit, profile));
  return recorded;
}

async function recordLaunch(davit: AwsTestRuntime, profile: string): Promise<RecordedLaunch> {
  const { launches, runtime } = davit;
  const moments: Promise<Moment>[] = [];
  const oncePublished = oncePublishedIn[profile]?.values();
  const stop = runtime.stepFunctions.onEvent(({ stateEnteredEventDetails: entered }, { name: launchId }) => {
    if (entered?.name === undefined || entered.input === undefined) return;
    const moment = momentOf(davit, launchId, entered.name, entered);
    moments.push(moment);
    const act = entered.name === 'PublishToken' ? oncePublished?.next().value : undefined;
    if (act !== undefined) void moment.then(() => act(davit, launchId));
  });
  const launchId = await launches.request({
    profile,
    jobId: `recorded ${profile}`,
    env: { GREETING: 'hello' },
    labels: { team: 'mobile' },
    sourceUrl: 'https://ci.example.com/jobs/1',
  });
  await untilExecutionEnds(runtime, launchId);
  stop();
  moments.push(momentOf(davit, launchId, 'over'));
  if (profile !== 'failed') {
    await moments.at(-1);
    await launches.end(launchId);
    await launches.until(launchId, 'terminated');
    moments.push(momentOf(davit, launchId, 'ended'));
  }
  return { launchId, moments: await Promise.all(moments) };
}

async function momentOf(
  { cluster, runtime: { services } }: AwsTestRuntime,
  launchId: string,
  name: string,
  entered?: HistoryEvent['stateEnteredEventDetails'],
): Promise<Moment> {
  // Read the cluster before anything else can happen; read the rows while the state's function runs.
  const atEpochMs = Date.now();
  const objectsOf = (resource: 'services' | 'pods') =>
    cluster.sandbox.store
      .list(resource)
      .filter(({ metadata }) => metadata.labels?.[labelKeys.launchId] === launchId)
      .map(asJson);
  const objects = { services: objectsOf('services'), pods: objectsOf('pods') };
  using client = localDynamoDb({ services });
  const documents = DynamoDBDocumentClient.from(client);
  const read = async (TableName: string, Key: Record<string, string>) =>
    (await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  const record = await read(services.launchesTable, { launchId });
  const agentName = z.object({ plan: z.object({ agentName: z.string() }) }).parse(record).plan.agentName;
  const token = await read(services.tokensTable, { agentName });
  return {
    name,
    atEpochMs,
    ...(entered?.input === undefined ? {} : { data: asJson(JSON.parse(entered.input)) }),
    record: asJson(record),
    ...(token === undefined ? {} : { token: asJson(token) }),
    ...objects,
  };
}

const here = pathToFileURL(rootFolder).href;

/** Makes plain JSON, with stack traces of errors as they are in a Lambda. */
function asJson(value: unknown): Item {
  const text = JSON.stringify(value).replaceAll(here, 'file:///var/task/');
  return z.record(z.string(), z.json()).parse(JSON.parse(text));
}

async function evict({ cluster: { sandbox } }: AwsTestRuntime, launchId: string): Promise<void> {
  await sandbox.node.evict(podOf(sandbox.store.list('pods'), launchId));
}

/** Connects as the Pod's own agent would. */
async function connect({ cluster: { sandbox } }: AwsTestRuntime, launchId: string): Promise<void> {
  const pods = sandbox.store.list('pods').filter(({ status }) => status?.['phase'] !== 'Failed');
  const { connectUrl, credential } = agentOf(podOf(pods, launchId));
  const answer = await fetch(connectUrl, { method: 'POST', headers: { authorization: `Bearer ${credential}` } });
  if (answer.status !== 200) throw new Error(`the agent was answered ${answer.status}: ${await answer.text()}`);
}

function podOf(pods: KubeObject[], launchId: string): KubeObject {
  const pod = pods.find(({ metadata }) => metadata.labels?.[labelKeys.launchId] === launchId);
  if (pod === undefined) throw new Error(`there is no Pod of ${launchId}`);
  return pod;
}
