import diagnosticsChannel from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { isFunctionName } from '../../cdk/function-permissions.ts';
import { LOCAL_ACCOUNT_ID } from '../../local/gateway/local-caller.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { functionArnOf, LOCAL_REGION } from './aws/lambda/function-name.ts';

/** An AWS call that a function made, in IAM's terms. */
export interface AwsCall {
  by: FunctionName;
  /** For example `dynamodb:PutItem`. */
  action: string;
  /** An ARN. */
  resource: string;
  /** The condition keys of the request. */
  context?: Record<string, string[]>;
}

/** The calls since the recording started, each once. */
export interface AwsCalls extends Disposable {
  readonly calls: readonly AwsCall[];
}

/**
 * Records the AWS calls that the local runtime's functions make, as they arrive at the local services. The request's
 * signature names the caller and the service, as it does for IAM.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-elements.html
 */
export function recordAwsCalls(): AwsCalls {
  const seen = new Map<string, AwsCall>();
  const listening = onRequests((request) => {
    const { by, service } = signedScopeOf(request);
    if (by === undefined) return;
    whenRead(request, (body) => {
      for (const asked of actionsOf(service, request, body)) {
        const { action, resource, context = {} } = asked;
        seen.set(`${by} ${action} ${resource} ${Object.keys(context).join()}`, { by, ...asked });
      }
    });
  });
  return {
    get calls() {
      return [...seen.values()];
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}

/** Hears of each request to a local service as it arrives. */
export function onRequests(listen: (request: IncomingMessage) => void): Disposable {
  const hear = (message: unknown) => listen(Started.parse(message).request);
  diagnosticsChannel.subscribe('http.server.request.start', hear);
  return { [Symbol.dispose]: () => void diagnosticsChannel.unsubscribe('http.server.request.start', hear) };
}

/** The function and the service that a signature names. The runtime and the tests sign their own calls with another name. */
export function signedScopeOf({ headers }: IncomingMessage): { by: FunctionName | undefined; service: string } {
  const { by = '', service = '' } = Scope.exec(headers.authorization ?? '')?.groups ?? {};
  return { by: isFunctionName(by) ? by : undefined, service };
}

const Started = z.object({ request: z.custom<IncomingMessage>((value) => typeof value === 'object') });
const Scope = /Credential=(?<by>[^/]+)\/\d{8}\/[^/]+\/(?<service>[^/]+)\/aws4_request/;

/** Copies a request's body without consuming it: the service reads the same body afterwards. */
export function whenRead(request: IncomingMessage, read: (body: unknown) => void): void {
  const chunks: Buffer[] = [];
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) read(chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString()));
    else chunks.push(chunk);
    return push(chunk, encoding);
  };
}

type Asked = Omit<AwsCall, 'by'>;

function actionsOf(service: string, request: IncomingMessage, body: unknown): Asked[] {
  const operation =
    String(request.headers['x-amz-target'] ?? '')
      .split('.')
      .at(-1) ?? '';
  if (operation === 'TransactWriteItems') return partsOf(body);
  const resources = resourcesAsked[service]?.(body, request.url ?? '');
  if (resources === undefined) throw new Error(`unknown operation of ${service}: ${operation} ${request.url}`);
  const action = service === 'lambda' ? 'InvokeFunction' : service === 'eks' ? 'DescribeCluster' : operation;
  const context = slotsContext(body);
  return resources.map((resource) => ({ action: `${service}:${action}`, resource, ...context }));
}

const Partitioned = z.object({
  Key: z.object({ partition: z.object({ S: z.string() }) }).optional(),
  Item: z.object({ partition: z.object({ S: z.string() }) }).optional(),
  ExpressionAttributeValues: z.object({ ':partition': z.object({ S: z.string() }) }).optional(),
});

/** The partition of a request for the slots of limits, for which functions have rights of their own. */
function slotsContext(body: unknown): Pick<AwsCall, 'context'> {
  const { data } = Partitioned.safeParse(body);
  const { S: partition = '' } =
    (data?.Key ?? data?.Item)?.partition ?? data?.ExpressionAttributeValues?.[':partition'] ?? {};
  return partition.startsWith('slots/') ? { context: { 'dynamodb:LeadingKeys': [partition] } } : {};
}

const Transaction = z.object({
  TransactItems: z.array(
    z.partialRecord(z.enum(['Put', 'Update', 'Delete']), z.looseObject({ TableName: z.string() })),
  ),
});

/** IAM has no action for a transaction, only for its parts. */
function partsOf(body: unknown): Asked[] {
  return Transaction.parse(body).TransactItems.flatMap((part) =>
    Object.entries(part).flatMap(([name, write]) =>
      write === undefined
        ? []
        : [
            {
              action: `dynamodb:${name}Item`,
              resource: arn('dynamodb', `table/${write.TableName}`),
              ...slotsContext(write),
            },
          ],
    ),
  );
}

const Dynamo = z.object({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
});
const States = z.object({ stateMachineArn: z.string().optional(), executionArn: z.string().optional() });

const PutEvents = z.object({ Entries: z.array(z.object({ EventBusName: z.string().default('default') })) });

/** The ARNs of the resources that a request names, in the service authorization reference's form. */
const resourcesAsked: Readonly<Record<string, (body: unknown, url: string) => string[]>> = {
  dynamodb: (body) => {
    const { TableName, IndexName, RequestItems = {} } = Dynamo.parse(body);
    const index = IndexName === undefined ? '' : `/index/${IndexName}`;
    const tables = TableName === undefined ? Object.keys(RequestItems) : [TableName];
    return tables.map((table) => arn('dynamodb', `table/${table}${index}`));
  },
  states: (body) => {
    const { stateMachineArn, executionArn } = States.parse(body);
    return [stateMachineArn ?? executionArn ?? ''];
  },
  secretsmanager: (body) => [secretArn(z.object({ SecretId: z.string() }).parse(body).SecretId)],
  lambda: (_body, url) => {
    const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(url)?.[1] ?? '';
    return [functionArnOf(decodeURIComponent(name))];
  },
  events: (body) => [...new Set(PutEvents.parse(body).Entries.map(({ EventBusName }) => busArn(EventBusName)))],
  eks: (_body, url) => [arn('eks', url.replace(/^\/clusters\//, 'cluster/'))],
};

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:${resource}`;
}

function busArn(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? nameOrArn : arn('events', `event-bus/${nameOrArn}`);
}

/** The ARN of a secret of this name, with a random suffix like Secrets Manager's. */
export function secretArn(name: string): string {
  return name.startsWith('arn:') ? name : arn('secretsmanager', `secret:${name}-a1B2c3`);
}
