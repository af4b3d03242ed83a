import { toJSONSchema } from 'zod/v4/core';
import { StandardEvent } from '../../ci/standard-webhooks/read-standard-event.ts';
import * as z from '../../core/zod.ts';
import {
  ApiDescription,
  ConnectAnswer,
  GatewayMessage,
  IgnoredAnswer,
  JobAnswer,
  LaunchAnswer,
  PollAnswer,
  ProblemBody,
} from '../../runtime/http/answers.ts';
import { ClusterList, ClusterSummary, ClusterView } from '../clusters/cluster-view-schema.ts';
import { JobList, QueuedJobView, WaitView } from '../jobs/queued-job-view-schema.ts';
import { LaunchRequestBody } from '../launches/launch-request.ts';
import {
  CleaningView,
  DiagnosticsView,
  EndedLaunchView,
  EndingView,
  GenerationView,
  JobRunView,
  JobView,
  LaunchList,
  LaunchView,
  PlanView,
  SignalView,
} from '../launches/launch-view-schema.ts';

/** A node of a JSON Schema, as OpenAPI 3.1 has it. */
export type SchemaNode = z.core.JSONSchema.JSONSchema;

/** The named schemas of the description. */
const named = {
  ApiDescription: [ApiDescription, 'This description.'],
  CleaningView: [CleaningView, 'When the clean-up of a launch began.'],
  ClusterList: [ClusterList, 'The clusters of davit.yaml.'],
  ClusterSummary: [ClusterSummary, 'A cluster, and the state of its connection.'],
  ClusterView: [ClusterView, 'A cluster, the state of its connection, and the last changes.'],
  ConnectAnswer: [ConnectAnswer, 'The answer to an agent that connects.'],
  DiagnosticsView: [DiagnosticsView, "What the cluster said about a failed launch's Pod. Secrets are masked."],
  EndedLaunchView: [EndedLaunchView, 'A launch that was ended.'],
  EndingView: [EndingView, 'Why a launch is over.'],
  GatewayMessage: [GatewayMessage, "An answer of the API gateway's own."],
  GenerationView: [GenerationView, 'An agent that infrastructure took before it had connected.'],
  IgnoredAnswer: [IgnoredAnswer, 'An event that asks for nothing, and why.'],
  PollAnswer: [PollAnswer, 'davit polls the CI system.'],
  JobAnswer: [JobAnswer, 'The launch whose agent runs or ran the job.'],
  JobList: [JobList, 'One page of the jobs that wait.'],
  JobRunView: [JobRunView, 'The job that the agent runs or ran.'],
  JobView: [JobView, 'A job of a CI system.'],
  LaunchAnswer: [LaunchAnswer, 'A requested launch.'],
  LaunchList: [LaunchList, 'One page of launches.'],
  LaunchRequest: [LaunchRequestBody, 'A request for a launch.'],
  LaunchView: [LaunchView, 'A launch. Fields without a value are left out.'],
  PlanView: [PlanView, 'The plan of a launch, made from its profile at the request.'],
  Problem: [ProblemBody, 'An error (RFC 9457).'],
  QueuedJobView: [QueuedJobView, 'A job that waits to run, and what it waits for.'],
  SignalView: [SignalView, 'The reason why a launch waits, in the words of the cluster or the CI system.'],
  StandardEvent: [StandardEvent, 'An event of a CI system of provider standard.'],
  WaitView: [WaitView, 'The reason why a job waits.'],
} as const satisfies Record<string, readonly [z.core.$ZodType, string]>;

/** The name of a schema of the description. */
export type SchemaName = keyof typeof named;

/** Refers to a schema of the description. */
export function ref(name: SchemaName): SchemaNode {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * Makes the description's schemas from those that parse requests and type answers.
 *
 * @param isClosed whether to forbid other fields in an object. For tests: a later version may add some.
 */
export function describedSchemas(isClosed: boolean): Record<string, SchemaNode> {
  const registry = z.registry<{ id: string }>();
  for (const [id, [schema]] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = toJSONSchema(registry, {
    // For outputs, zod forbids other fields.
    io: isClosed ? 'output' : 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  const described = Object.entries(named).map(([name, [, description]]) => [
    name,
    { description, ...withoutIds(schemas[name] ?? {}) },
  ]);
  return Object.fromEntries(described);
}

/** Leaves out redundant keywords: a pattern beside its format, and the largest possible number. */
function simplify(node: SchemaNode): void {
  if (['date-time', 'ipv4', 'ipv6'].includes(node.format ?? '')) delete node.pattern;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
}

function withoutIds({ $id: _id, $schema: _schema, id: _name, ...schema }: SchemaNode): SchemaNode {
  return schema;
}
