/** One version of a secret. A stage belongs to at most one version. */
export interface SecretVersion {
  versionId: string;
  stages: string[];
  createdEpochMs: number;
  secretString?: string | undefined;
  /** Base64, as on the wire. */
  secretBinary?: string | undefined;
}

/** A secret and all its versions that have a stage. */
export interface Secret {
  name: string;
  arn: string;
  versions: SecretVersion[];
}

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
