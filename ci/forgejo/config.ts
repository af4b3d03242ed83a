import { commonKeys, Origin, pollSeconds } from '../../core/ci/ci-system-keys.ts';
import { SecretId } from '../../core/config/secret-id.ts';
import * as z from '../../core/zod.ts';

/** A name of Forgejo's: of a user, an organization or a repository. */
const name = String.raw`[A-Za-z0-9]([-\w.]*[A-Za-z0-9_])?`;

/** A Forgejo, in davit.yaml. */
export const ForgejoConfig = z.strictObject({
  ...commonKeys,
  webhookSecret: z.described(
    SecretId,
    "Name or ARN of the secret of Forgejo's webhooks, each of which makes davit poll at once",
  ),
  provider: z.literal('forgejo'),
  url: z.described(Origin, "The system's URL as people open it: its ROOT_URL, without the slash at the end"),
  scope: z
    .string()
    .check(
      z.regex(
        new RegExp(`^(admin|user|orgs/${name}|repos/${name}/${name})$`),
        'expected admin, user, orgs/ORGANIZATION or repos/OWNER/REPOSITORY',
      ),
      z.describe(
        "Whose jobs davit takes, and where it registers runners: admin for the whole Forgejo, user for those of the token's own user, orgs/ORGANIZATION or repos/OWNER/REPOSITORY",
      ),
    ),
  tokenSecret: z.described(SecretId, "Name or ARN of the secret that holds davit's access token for the system"),
  pollSeconds: z.described(pollSeconds(2), 'The pause between two polls of the jobs, in seconds'),
});
