import { type RoleCredentials, roleCredentials } from '../../functions/config.ts';

/**
 * In the bundles, in place of the SDK's own chain of places where credentials may be: Lambda has them in one. The chain
 * loads its parts when it needs them, which keeps a bundler from leaving out anything that they reach.
 *
 * @returns what every client asks for credentials; it rejects as `roleCredentials` throws
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function defaultProvider(): () => Promise<RoleCredentials> {
  return async () => roleCredentials();
}
