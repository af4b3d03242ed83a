import { publicGithubUrl } from '../../ci/github/github-url.ts';
import { SecretId } from '../config/secret-id.ts';
import * as z from '../zod.ts';
import { defaultRateLimitShare } from './rate-budget.ts';

/** The CI systems that davit can act in: each has an adapter and a preset for its runners. */
export const RunnerProvider = z.enum(['github', 'gitea']);
export type RunnerProvider = z.infer<typeof RunnerProvider>;

/** The kinds of systems whose webhooks davit reads. `standard` is any other system, by Standard Webhooks. */
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

/** Anything that sends davit's own events, signed as Standard Webhooks says. davit does not act there. */
export const StandardConfig = z.strictObject({ ...common, provider: z.literal('standard') });
export type StandardConfig = z.infer<typeof StandardConfig>;

/**
 * A CI system: it sends webhooks to davit, and davit acts there with a credential. Without a credential, davit only reads
 * the webhooks.
 */
export const CiSystemConfig = z.discriminatedUnion('provider', [GithubConfig, GiteaConfig, StandardConfig], {
  error: `expected one of ${CiProvider.options.join(', ')}`,
});
export type CiSystemConfig = z.infer<typeof CiSystemConfig>;
