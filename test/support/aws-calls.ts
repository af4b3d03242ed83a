import diagnosticsChannel from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { isFunctionName } from '../../cdk/function-permissions.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { functionArnOf, LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../../local/lambda/function-name.ts';

/** A call of AWS that a function made, in the words of IAM. */
export interface AwsCall {
  by: FunctionName;
  /** For example `dynamodb:PutItem`. */
  action: string;
  /** An ARN. */
  resource: string;
}

/** The calls since it was started, each once. */
export interface AwsCalls extends Disposable {
  readonly calls: readonly AwsCall[];
}

/**
 * Records what the functions of the local runtime ask of AWS, where it comes in: at the doors of the local services. Who
 * asks and which service is meant is what the request was signed with, as IAM itself goes by.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-elements.html
 */
export function recordAwsCalls(): AwsCalls {
  const seen = new Map<string, AwsCall>();
  const listen = (message: unknown) => {
    const request = Started.parse(message).request;
    const scope = Scope.exec(request.headers.authorization ?? '')?.groups;
    const by = scope?.['by'] ?? '';
    // What the runtime and the tests ask for themselves is signed by another name.
    if (!isFunctionName(by)) return;
    whenRead(request, (body) => {
      for (const { action, resource } of actionsOf(scope?.['service'] ?? '', request, body)) {
        seen.set(`${by} ${action} ${resource}`, { by, action, resource });
      }
    });
  };
  diagnosticsChannel.subscribe('http.server.request.start', listen);
  return {
    get calls() {
      return [...seen.values()];
    },
    [Symbol.dispose]: () => void diagnosticsChannel.unsubscribe('http.server.request.start', listen),
  };
}

const Started = z.object({ request: z.custom<IncomingMessage>((value) => typeof value === 'object') });
const Scope = /Credential=(?<by>[^/]+)\/\d{8}\/[^/]+\/(?<service>[^/]+)\/aws4_request/;

/** Reads along: the service itself reads the body as if nobody did. */
function whenRead(request: IncomingMessage, read: (body: unknown) => void): void {
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
  const resources = resourcesAsked[service]?.(body, request.url ?? '');
  if (resources === undefined)
    throw new Error(`nobody knows what ${service} is asked for: ${operation} ${request.url}`);
  const action = service === 'lambda' ? 'InvokeFunction' : service === 'eks' ? 'DescribeCluster' : operation;
  return resources.map((resource) => ({ action: `${service}:${action}`, resource }));
}

const Dynamo = z.object({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
});
const States = z.object({ stateMachineArn: z.string().optional(), executionArn: z.string().optional() });

const PutEvents = z.object({ Entries: z.array(z.object({ EventBusName: z.string().default('default') })) });

/** The ARNs that a request is about, as the service authorization reference has them. */
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
    return [functionArnOf(decodeURIComponent(name), LOCAL_REGION)];
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

/** The ARN of a secret of this name, with an ending as Secrets Manager gives it. */
export function secretArn(name: string): string {
  return name.startsWith('arn:') ? name : arn('secretsmanager', `secret:${name}-a1B2c3`);
}
