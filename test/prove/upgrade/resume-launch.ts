import { createHash } from 'node:crypto';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { createSfnClient } from '../../../adapters/aws/create-sfn-executions.ts';
import type { JsonValue } from '../../../local/json-value.ts';
import type { KubeObject } from '../../../sandbox/cluster-store.ts';
import { localAws } from '../../support/aws/local-aws.ts';
import { localDynamoDb } from '../../support/local-dynamo-db.ts';
import type { AwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { agentOf } from './agent-environment.ts';
import { type Move, moved, movedCredential } from './moved.ts';
import type { Installation, Item, Moment, RecordedLaunch } from './recording.ts';

/** A moment of a recorded launch, and its installation. */
export interface Interrupted {
  installation: Installation;
  launch: RecordedLaunch;
  moment: Moment;
}

/**
 * Restores a launch's state at a recorded moment: its objects, its rows, its agent's credential. Each moment gets a new
 * launch id.
 *
 * @returns the launch's id, and the execution's data
 */
export async function restore(davit: AwsTestRuntime, { installation, launch, moment }: Interrupted): Promise<Restored> {
  const launchId = anotherId(launch, moment);
  const values = new Map<JsonValue, JsonValue>();
  const move: Move = {
    laterMs: Date.now() - moment.atEpochMs,
    texts: new Map([
      [launch.launchId, launchId],
      [installation.publicUrl, davit.runtime.publicUrl],
    ]),
    values,
  };
  for (const service of moment.services) create(davit, 'services', service, move, values);
  for (const pod of moment.pods) {
    const { credential } = agentOf(pod);
    const another = await movedCredential(credential, installation.credentialKey, move);
    create(davit, 'pods', pod, { ...move, texts: new Map([[credential, another], ...move.texts]) }, values);
  }
  const { launchesTable, tokensTable } = davit.runtime.services;
  await put(davit, launchesTable, moved(moment.record, move));
  if (moment.token !== undefined) await put(davit, tokensTable, moved(moment.token, move));
  return { launchId, data: moved(moment.data ?? {}, move) };
}

/** A restored launch. */
export interface Restored {
  launchId: string;
  data: JsonValue;
}

/** Restores a launch, and continues its execution at the entered state. @returns the launch's id */
export async function resume(davit: AwsTestRuntime, interrupted: Interrupted): Promise<string> {
  const { launchId, data } = await restore(davit, interrupted);
  const { stepFunctionsUrl, secretAccessKey, stateMachineArn } = davit.runtime.services;
  const client = createSfnClient(localAws(stepFunctionsUrl, secretAccessKey));
  const input = JSON.stringify({ resumeAt: interrupted.moment.name, data });
  await client.send(new StartExecutionCommand({ stateMachineArn, name: launchId, input }));
  client.destroy();
  return launchId;
}

async function put({ runtime }: AwsTestRuntime, TableName: string, Item: JsonValue): Promise<void> {
  using client = localDynamoDb(runtime);
  const documents = DynamoDBDocumentClient.from(client);
  await documents.send(new PutCommand({ TableName, Item: z.record(z.string(), z.json()).parse(Item) }));
}

/** Replaces the hash at the end of a launch id. */
function anotherId({ launchId }: RecordedLaunch, moment: Moment): string {
  const hash = createHash('sha256').update(`${moment.name} ${moment.atEpochMs}`).digest('hex');
  return launchId.replace(/[0-9a-f]{16}$/, hash.slice(0, 16));
}

const Owner = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean(),
  blockOwnerDeletion: z.boolean(),
});

const Created = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).exactOptional(),
    ownerReferences: z.array(Owner).exactOptional(),
  }),
  spec: z.looseObject({ ports: z.array(z.looseObject({ nodePort: z.int().optional() })).optional() }),
  status: z.looseObject({ phase: z.string().optional() }).optional(),
});

/** Keeps an ended Pod from being scheduled again. */
const over = { schedulingGates: [{ name: 'davit.dev/has-ended' }] };

/** Creates an object as davit did, and notes the values that this cluster allocated. */
function create(
  { cluster: { sandbox } }: AwsTestRuntime,
  resource: 'services' | 'pods',
  recorded: Item,
  move: Move,
  values: Map<JsonValue, JsonValue>,
): void {
  const was = Created.parse(recorded);
  const { apiVersion, kind, metadata, spec, status } = Created.parse(moved(recorded, move));
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _since, ...given } = metadata;
  const { clusterIP: _ip, clusterIPs: _ips, nodeName: _node, ...asked } = spec;
  const ports = asked.ports?.map(({ nodePort: _port, ...port }) => port);
  const life = status?.phase === 'Failed' ? over : {};
  const manifest = {
    apiVersion,
    kind,
    metadata: given,
    spec: { ...asked, ...(ports === undefined ? {} : { ports }), ...life },
  };
  const created = sandbox.store.create(resource, manifest);
  if (status?.phase === 'Failed') sandbox.store.updateStatus(resource, created, () => status);
  const is = Created.parse(created satisfies KubeObject);
  values.set(was.metadata.uid, is.metadata.uid);
  values.set(was.metadata.resourceVersion, is.metadata.resourceVersion);
  for (const [index, port] of (was.spec.ports ?? []).entries()) {
    const allocated = is.spec.ports?.[index]?.nodePort;
    if (port.nodePort !== undefined && allocated !== undefined) values.set(port.nodePort, allocated);
  }
}
