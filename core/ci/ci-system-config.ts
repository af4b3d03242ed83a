import { publicGithubUrl } from '../../ci/github/github-url.ts';
import { SecretId } from '../config/secret-id.ts';
import * as z from '../zod.ts';
import { defaultRateLimitShare } from './rate-budget.ts';

/** The CI systems that davit can act in: each has an adapter and a preset for its runners. */
export const RunnerProvider = z.enum(['github', 'gitea', 'jenkins']);
export type RunnerProvider = z.infer<typeof RunnerProvider>;

/** The kinds of systems from which davit gets events of jobs. `standard` is any other system, by Standard Webhooks. */
export const CiProvider = z.enum([...RunnerProvider.options, 'standard']);
export type CiProvider = z.infer<typeof CiProvider>;

/**
 * A CI system's name: at most 12 characters, because it begins the ids of its launches. `POST /launches` begins its own
 * with `api`.
 */
export const CiSystemName = z.string().check(
  z.regex(/^[a-z]([-a-z0-9]{0,10}[a-z0-9])?$/, 'expected up to 12 of a-z, 0-9 and -, from a letter on'),
  z.refine((name) => name !== 'api', { error: 'expected another name: POST /launches uses this one' }),
  z.describe("The system's name: in the path of its webhooks, /webhooks/NAME, and in the ids of its launches"),
);
export type CiSystemName = z.infer<typeof CiSystemName>;

const Origin = z.string().check(
  z.refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text, {
    error: 'expected a URL such as https://ci.example.com, without a path and a slash at its end',
  }),
);

const common = {
  name: CiSystemName,
  webhookSecret: SecretId.check(z.describe('Name or ARN of the secret with which the system signs its webhooks')),
};

const acting = {
  tokenSecret: z
    .exactOptional(SecretId)
    .check(z.describe("Name or ARN of the secret that holds davit's access token for the system")),
  rateLimitShare: z
    .exactOptional(z.number().check(z.gte(0.01), z.lte(1)))
    .check(
      z.describe(
        `The part of the system's rate limit that reconciling may use, which finds out each minute what davit has missed. Default: ${defaultRateLimitShare}`,
      ),
    ),
};

/** A GitHub App, as which davit acts. */
export const GithubAppConfig = z.strictObject({
  id: z.int().check(z.positive(), z.describe("The App's id")),
  privateKeySecret: SecretId.check(z.describe("Name or ARN of the secret that holds the App's private key, in PEM")),
});
export type GithubAppConfig = z.infer<typeof GithubAppConfig>;

/** A GitHub or a GitHub Enterprise Server. */
export const GithubConfig = z.strictObject({
  ...common,
  provider: z.literal('github'),
  url: z
    .withDefault(Origin, publicGithubUrl)
    .check(z.describe("The system's URL as people open it. Set it for a GitHub Enterprise Server")),
  app: z.exactOptional(GithubAppConfig).check(z.describe('The GitHub App that davit acts as, instead of a token')),
  ...acting,
});
export type GithubConfig = z.infer<typeof GithubConfig>;

/** A Gitea. */
export const GiteaConfig = z.strictObject({
  ...common,
  provider: z.literal('gitea'),
  url: Origin.check(z.describe("The system's URL as people open it: its ROOT_URL, without the slash at the end")),
  ...acting,
});
export type GiteaConfig = z.infer<typeof GiteaConfig>;

/** A Jenkins. */
export const JenkinsConfig = z.strictObject({
  ...common,
  webhookSecret: SecretId.check(z.describe('Name or ARN of the secret that signs the requests for a poll at once')),
  provider: z.literal('jenkins'),
  url: z.string().check(
    z.refine(
      (text) => URL.canParse(text) && /^https?:\/\/[^?#]*[^?#/]$/.test(text) && !/@/.test(new URL(text).host + text),
      {
        error: 'expected a URL such as https://jenkins.example.com/ci, without a slash at its end',
      },
    ),
    z.describe("The system's URL as people open it: Jenkins URL in its settings, without the slash at the end"),
  ),
  user: z
    .string()
    .check(
      z.regex(/^[^\s:]+$/, 'expected the id of a user, without a colon'),
      z.describe('The id of the user that davit acts as'),
    ),
  tokenSecret: SecretId.check(z.describe("Name or ARN of the secret that holds that user's API token")),
  pollSeconds: z
    .withDefault(z.int().check(z.gte(1), z.lte(60)), 2)
    .check(z.describe('The pause between two polls of the queue, in seconds')),
});
export type JenkinsConfig = z.infer<typeof JenkinsConfig>;

/** Anything that sends davit's own events, signed as Standard Webhooks says. davit does not act there. */
export const StandardConfig = z.strictObject({ ...common, provider: z.literal('standard') });
export type StandardConfig = z.infer<typeof StandardConfig>;

/**
 * A CI system: it sends webhooks to davit, or davit polls it, and davit acts there with a credential. Without a credential,
 * davit only reads the webhooks.
 */
export const CiSystemConfig = z.discriminatedUnion(
  'provider',
  [GithubConfig, GiteaConfig, JenkinsConfig, StandardConfig],
  {
    error: `expected one of ${CiProvider.options.join(', ')}`,
  },
);
export type CiSystemConfig = z.infer<typeof CiSystemConfig>;
