import * as z from 'zod';

/** One version of a secret; a stage is with one version at most. */
export const SecretVersion = z.object({
  versionId: z.string(),
  stages: z.array(z.string()),
  createdEpochMs: z.number(),
  secretString: z.string().optional(),
  /** Base64, as on the wire. */
  secretBinary: z.string().optional(),
});
export type SecretVersion = z.output<typeof SecretVersion>;

/** A secret with all versions that have a stage. */
export const Secret = z.object({ name: z.string(), arn: z.string(), versions: z.array(SecretVersion) });
export type Secret = z.output<typeof Secret>;

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

/**
 * Adds a version and moves its stages to it; what was AWSCURRENT becomes AWSPREVIOUS. A version that no stage is left
 * with is gone: on AWS it may be, from then on.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html
 */
export function withVersion(secret: Secret, added: SecretVersion): Secret {
  const movesCurrent = added.stages.includes(CURRENT);
  const others = secret.versions.map((version) => {
    const wasCurrent = version.stages.includes(CURRENT);
    const taken = movesCurrent && secret.versions.some(({ stages }) => stages.includes(CURRENT)) ? [PREVIOUS] : [];
    const kept = version.stages.filter((stage) => !added.stages.includes(stage) && !taken.includes(stage));
    return { ...version, stages: movesCurrent && wasCurrent ? [...kept, PREVIOUS] : kept };
  });
  return { ...secret, versions: [...others.filter(({ stages }) => stages.length > 0), added] };
}
