import { actingKeys, commonKeys, Origin } from '../../core/ci/ci-system-keys.ts';
import * as z from '../../core/zod.ts';

/** A Gitea, in davit.yaml. */
export const GiteaConfig = z.strictObject({
  ...commonKeys,
  provider: z.literal('gitea'),
  url: z.described(Origin, "The system's URL as people open it: its ROOT_URL, without the slash at the end"),
  ...actingKeys,
});
