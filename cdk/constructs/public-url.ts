import { Token } from 'aws-cdk-lib';

/**
 * Checks a public URL, to which agents append the path where they connect.
 *
 * @param url may contain tokens, such as the domain name of a CloudFront distribution; then this checks only its
 *   beginning
 * @returns the URL without a slash at its end
 * @throws Error when it is not an https URL, or has a query, a fragment or credentials
 */
export function checkedPublicUrl(url: string): string {
  if (!url.startsWith('https://')) throw new Error('publicUrl: expected a URL that begins with https://');
  const trimmed = url.replace(/\/+$/, '');
  if (Token.isUnresolved(url)) return trimmed;
  if (!URL.canParse(trimmed)) throw new Error(`publicUrl: expected a URL, found ${url}`);
  const { search, hash, username, password } = new URL(url);
  const parts = Object.entries({ query: search, fragment: hash, credentials: username + password });
  for (const [part, value] of parts) if (value !== '') throw new Error(`publicUrl: expected no ${part}`);
  return trimmed;
}
