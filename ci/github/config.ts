import { DnsLabel } from '../../core/agent/pod-template.ts';
import { actingKeys, commonKeys, Origin } from '../../core/ci/ci-system-keys.ts';
import { SecretId } from '../../core/config/secret-id.ts';
import * as z from '../../core/zod.ts';
import { publicGithubUrl } from './github-url.ts';

/** A GitHub App, as which davit acts. */
export const GithubAppConfig = z.strictObject({
  id: z.int().check(z.positive(), z.describe("The App's id")),
  privateKeySecret: z.described(SecretId, "Name or ARN of the secret that holds the App's private key, in PEM"),
});

const Owner = z.string().check(z.regex(/^[\w.-]{1,100}$/, "expected an organization's name, as in its URL: acme"));
const Repository = z
  .string()
  .check(z.regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, "expected a repository's name, as in its URL: acme/app"));

/** A runner scale set of GitHub, in davit.yaml. */
export const ScaleSetConfig = z
  .strictObject({
    profile: z.described(
      DnsLabel,
      "The name of the only profile whose agents are the set's runners. The set has its labels and its group",
    ),
    organization: z.described(
      z.exactOptional(Owner),
      'The organization whose jobs the set takes: acme. Or `repository`',
    ),
    repository: z.described(
      z.exactOptional(Repository),
      'The only repository whose jobs the set takes: acme/app. Or `organization`',
    ),
    name: z.described(
      z.exactOptional(
        z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'expected up to 64 letters, digits, ., _ and -')),
      ),
      "The set's name, which its runner group has once. Default: the name of the CI system in this file",
    ),
  })
  .check(
    z.refine(({ organization, repository }) => (organization === undefined) !== (repository === undefined), {
      path: ['organization'],
      error: 'expected either organization or repository: a scale set belongs to one of them',
    }),
  );
export type ScaleSetConfig = z.infer<typeof ScaleSetConfig>;

/** A GitHub or a GitHub Enterprise Server, in davit.yaml. */
export const GithubConfig = z.strictObject({
  ...commonKeys,
  webhookSecret: z.described(
    z.exactOptional(SecretId),
    'Name or ARN of the secret with which GitHub signs its webhooks. Required unless `events` is scaleSet',
  ),
  provider: z.literal('github'),
  url: z.described(
    z.withDefault(Origin, publicGithubUrl),
    "The system's URL as people open it. Set it for a GitHub Enterprise Server",
  ),
  app: z.described(z.exactOptional(GithubAppConfig), 'The GitHub App that davit acts as, instead of a token'),
  events: z.described(
    z.exactOptional(z.enum(['webhooks', 'scaleSet'])),
    'Where davit learns of jobs. webhooks: GitHub sends them. scaleSet (preview): davit asks a runner scale set for them, and needs no public endpoint. Default: webhooks',
  ),
  scaleSet: z.described(z.exactOptional(ScaleSetConfig), 'The runner scale set, if `events` is scaleSet'),
  ...actingKeys,
});
export type GithubConfig = z.infer<typeof GithubConfig>;
