/** The URL of the public GitHub. */
export const publicGithubUrl = 'https://github.com';

/**
 * Finds the base of a GitHub's REST API, without a slash at its end.
 *
 * @see https://docs.github.com/en/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api
 * @see https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency
 */
export function githubApiUrl({ url }: { url: string }): string {
  const { protocol, host } = new URL(url);
  const isGithubs = url === publicGithubUrl || host.endsWith('.ghe.com');
  return isGithubs ? `${protocol}//api.${host}` : `${url}/api/v3`;
}
