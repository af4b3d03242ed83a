import { actingKeys, commonKeys, Origin } from '../../core/ci/ci-system-keys.ts';
import { SecretId } from '../../core/config/secret-id.ts';
import * as z from '../../core/zod.ts';
import { publicGithubUrl } from './github-url.ts';

/** A GitHub App, as which davit acts. */
export const GithubAppConfig = z.strictObject({
  id: z.int().check(z.positive(), z.describe("The App's id")),
  privateKeySecret: SecretId.check(z.describe("Name or ARN of the secret that holds the App's private key, in PEM")),
});

/** A GitHub or a GitHub Enterprise Server, in davit.yaml. */
export const GithubConfig = z.strictObject({
  ...commonKeys,
  provider: z.literal('github'),
  url: z
    .withDefault(Origin, publicGithubUrl)
    .check(z.describe("The system's URL as people open it. Set it for a GitHub Enterprise Server")),
  app: z.exactOptional(GithubAppConfig).check(z.describe('The GitHub App that davit acts as, instead of a token')),
  ...actingKeys,
});
export type GithubConfig = z.infer<typeof GithubConfig>;
