import { commonKeys, pollSeconds, urlLike } from '../../core/ci/ci-system-keys.ts';
import { SecretId } from '../../core/config/secret-id.ts';
import * as z from '../../core/zod.ts';

/** Where Buildkite's agents and stacks connect to. */
export const publicBuildkiteUrl = 'https://agent.buildkite.com/v3';

/** A queue of a Buildkite cluster, in davit.yaml. */
export const BuildkiteConfig = z.strictObject({
  ...commonKeys,
  webhookSecret: z.described(
    SecretId,
    "Name or ARN of the secret that holds the webhook's token in Buildkite, with which it signs",
  ),
  provider: z.literal('buildkite'),
  url: z.described(
    z.withDefault(urlLike('https://agent.buildkite.com/v3'), publicBuildkiteUrl),
    "The URL of Buildkite's agent API. Leave it out",
  ),
  organization: z
    .string()
    .check(
      z.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "expected an organization's slug, as in its URL: a-z, 0-9 and -"),
      z.describe("The organization's slug: acme in https://buildkite.com/acme"),
    ),
  queue: z.described(
    z.withDefault(
      z.string().check(z.regex(/^[\w-]+$/, 'expected the key of a queue: letters, digits, _ and -')),
      'default',
    ),
    "The key of the cluster's self-hosted queue whose jobs davit takes",
  ),
  stack: z.described(
    z.exactOptional(
      z.string().check(z.regex(/^[\w-]{1,80}$/, 'expected the key of a stack: up to 80 letters, digits, _ and -')),
    ),
    'The key under which this davit is a stack in the organization. No two davits may share one. Default: davit-, the id of this installation, - and the name',
  ),
  tokenSecret: z.described(SecretId, "Name or ARN of the secret that holds an agent token of the queue's cluster"),
  pollSeconds: z.described(
    pollSeconds(2),
    'The pause between two polls of the queue, in seconds. From 30 on, Buildkite shows the queue as disconnected',
  ),
});
