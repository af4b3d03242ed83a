import * as z from 'zod';

/** One version of a secret. A stage belongs to at most one version. */
export const SecretVersion = z.object({
  versionId: z.string(),
  stages: z.array(z.string()),
  createdEpochMs: z.number(),
  secretString: z.string().optional(),
  /** Base64, as on the wire. */
  secretBinary: z.string().optional(),
});
export type SecretVersion = z.output<typeof SecretVersion>;

/** A secret and all its versions that have a stage. */
export const Secret = z.object({ name: z.string(), arn: z.string(), versions: z.array(SecretVersion) });
export type Secret = z.output<typeof Secret>;

const current = 'AWSCURRENT';
const previous = 'AWSPREVIOUS';

/**
 * Adds a version and moves its stages to it. The version that was AWSCURRENT becomes AWSPREVIOUS. Drops versions
 * without a stage, which AWS can delete at any time.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html
 */
export function withVersion(secret: Secret, added: SecretVersion): Secret {
  const movesCurrent = added.stages.includes(current);
  const others = secret.versions.map((version) => {
    const wasCurrent = version.stages.includes(current);
    const taken = movesCurrent && secret.versions.some(({ stages }) => stages.includes(current)) ? [previous] : [];
    const kept = version.stages.filter((stage) => !added.stages.includes(stage) && !taken.includes(stage));
    return { ...version, stages: movesCurrent && wasCurrent ? [...kept, previous] : kept };
  });
  return { ...secret, versions: [...others.filter(({ stages }) => stages.length > 0), added] };
}
