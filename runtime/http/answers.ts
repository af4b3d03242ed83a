import { CompletedToken } from '../../core/launch/completed-token.ts';
import { LaunchStatus } from '../../core/launch/launch-record.ts';
import { AgentName, LaunchId } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';

// Other functions import only types from this file: the schemas would cost each start some milliseconds.

/** The answer to a request for a launch. */
export const LaunchAnswer = z.object({
  launchId: LaunchId,
  agentName: AgentName,
  profile: z.optional(z.string()),
  cluster: z.optional(z.string()),
  status: LaunchStatus,
  duplicate: z.optional(z.described(z.literal(true), 'The launch was requested before')),
  reason: z.optional(z.described(z.string(), 'Why the launch is over already')),
});
export type LaunchAnswer = z.infer<typeof LaunchAnswer>;

/** The answer to an event of a job that is over, or that an agent runs. */
export const JobAnswer = z.object({
  launchId: LaunchId,
  status: LaunchStatus,
  duplicate: z.optional(z.described(z.literal(true), 'The launch was ended before')),
});
export type JobAnswer = z.infer<typeof JobAnswer>;

/** The answer to an event that asks for nothing. */
export const IgnoredAnswer = z.object({ ignored: z.literal(true), reason: z.string() });
export type IgnoredAnswer = z.infer<typeof IgnoredAnswer>;

/** The answer to a request for a poll. */
export const PollAnswer = z.object({ polls: z.described(z.string(), 'The CI system that davit polls') });
export type PollAnswer = z.infer<typeof PollAnswer>;

/** The answer to an agent that connects. The values of `environment` are secrets. */
export const ConnectAnswer = z.extend(CompletedToken, {
  environment: z.optional(
    z.described(z.record(z.string(), z.string()), 'The environment variables with which an agent joins its CI system'),
  ),
});
export type ConnectAnswer = z.infer<typeof ConnectAnswer>;

/** The body of a problem. @see https://www.rfc-editor.org/rfc/rfc9457 */
export const ProblemBody = z.object({
  type: z.described(z.url(), 'Stable: https://davit.dev/problems/ and the name of the problem'),
  title: z.string(),
  status: z.int().check(z.gte(400), z.lte(599)),
  detail: z.described(z.string(), 'What went wrong this time, for a person'),
  code: z.optional(z.described(z.string(), 'The error code of what failed: see docs/errors.md')),
  requestId: z.optional(z.string()),
  launchId: z.optional(z.string()),
  profile: z.optional(z.string()),
  profiles: z.optional(z.array(z.string())),
  clusters: z.optional(z.array(z.string())),
  errors: z.optional(z.array(z.object({ path: z.string(), detail: z.string() }))),
});

/** An answer of API Gateway's own: a caller without permission, an unknown route, too many requests. */
export const GatewayMessage = z.object({ message: z.string() });

/** The description itself. */
export const ApiDescription = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
