import * as z from '../zod.ts';
import { SecretId } from './secret-id.ts';

/** The CI systems that davit can act in: each has an adapter and a preset for its runners. */
export const RunnerProvider = z.enum(['github', 'gitea']);
export type RunnerProvider = z.infer<typeof RunnerProvider>;

/** Whose webhooks davit reads. `standard`: of anything else, as Standard Webhooks. */
export const CiProvider = z.enum([...RunnerProvider.options, 'standard']);
export type CiProvider = z.infer<typeof CiProvider>;

const labelsHaveCase: Readonly<Record<CiProvider, boolean>> = { github: false, gitea: true, standard: false };

/** Writes a label so that labels are the same to a CI system exactly if they are the same text. */
export function comparableLabel(provider: CiProvider, label: string): string {
  return labelsHaveCase[provider] ? label : label.toLowerCase();
}

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
    .check(z.describe('Name or ARN of the secret that holds an access token, by which davit acts in the system')),
};

/** A GitHub App, as which davit acts. */
export const GithubAppConfig = z.strictObject({
  id: z.int().check(z.positive(), z.describe("The App's id")),
  privateKeySecret: SecretId.check(z.describe("Name or ARN of the secret that holds the App's private key, in PEM")),
});
export type GithubAppConfig = z.infer<typeof GithubAppConfig>;

/** The URL of the GitHub that everybody knows. */
const publicGithubUrl = 'https://github.com';

/** A GitHub or a GitHub Enterprise Server. */
export const GithubConfig = z.strictObject({
  ...common,
  provider: z.literal('github'),
  url: z
    .withDefault(Origin, publicGithubUrl)
    .check(z.describe("The system's URL as people open it: another one than GitHub's for an Enterprise Server")),
  app: z.exactOptional(GithubAppConfig).check(z.describe('The GitHub App as which davit acts, instead of a token')),
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
 * A CI system: whose webhooks davit takes, and by which credential it acts there. Without a credential it only reads
 * webhooks.
 */
export const CiSystemConfig = z.discriminatedUnion('provider', [GithubConfig, GiteaConfig, StandardConfig], {
  error: `expected one of ${CiProvider.options.join(', ')}`,
});
export type CiSystemConfig = z.infer<typeof CiSystemConfig>;

/**
 * Finds the base of a GitHub's REST API, without a slash at its end.
 *
 * @see https://docs.github.com/en/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api
 * @see https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency
 */
export function githubApiUrl({ url }: Pick<GithubConfig, 'url'>): string {
  const { protocol, host } = new URL(url);
  const isGithubs = url === publicGithubUrl || host.endsWith('.ghe.com');
  return isGithubs ? `${protocol}//api.${host}` : `${url}/api/v3`;
}

/** Names the secrets by which davit acts in a CI system: none, or one. */
export function ciCredentialSecrets(system: CiSystemConfig): string[] {
  if ('app' in system && system.app !== undefined) return [system.app.privateKeySecret];
  return 'tokenSecret' in system && system.tokenSecret !== undefined ? [system.tokenSecret] : [];
}
