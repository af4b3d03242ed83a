import { type CiProvider, type CiSystemConfig, type GithubConfig, publicGithubUrl } from './ci-system-config.ts';

const labelsHaveCase: Readonly<Record<CiProvider, boolean>> = { github: false, gitea: true, standard: false };

/** Normalises a label, so that two labels are the same to a CI system exactly if their texts are equal. */
export function comparableLabel(provider: CiProvider, label: string): string {
  return labelsHaveCase[provider] ? label : label.toLowerCase();
}

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

/** Names the secret with which davit acts in a CI system, if it has one. */
export function ciCredentialSecrets(system: CiSystemConfig): string[] {
  const { app, tokenSecret }: Partial<Pick<GithubConfig, 'name' | 'app' | 'tokenSecret'>> = system;
  const secret = app?.privateKeySecret ?? tokenSecret;
  return secret === undefined ? [] : [secret];
}
