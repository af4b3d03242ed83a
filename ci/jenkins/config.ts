import { commonKeys, pollSeconds } from '../../core/ci/ci-system-keys.ts';
import { SecretId } from '../../core/config/secret-id.ts';
import * as z from '../../core/zod.ts';

/** A Jenkins, in davit.yaml. */
export const JenkinsConfig = z.strictObject({
  ...commonKeys,
  webhookSecret: z.described(SecretId, 'Name or ARN of the secret that signs the requests for a poll at once'),
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
  tokenSecret: z.described(SecretId, "Name or ARN of the secret that holds that user's API token"),
  pollSeconds: z.described(pollSeconds(2), 'The pause between two polls of the queue, in seconds'),
});
