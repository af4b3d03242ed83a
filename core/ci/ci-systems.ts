import { buildkiteTraits } from '../../ci/buildkite/traits.ts';
import { forgejoTraits } from '../../ci/forgejo/traits.ts';
import { giteaTraits } from '../../ci/gitea/traits.ts';
import type { GithubConfig, ScaleSetConfig } from '../../ci/github/config.ts';
import { githubTraits } from '../../ci/github/traits.ts';
import { gitlabTraits } from '../../ci/gitlab/traits.ts';
import { jenkinsTraits } from '../../ci/jenkins/traits.ts';
import { standardTraits } from '../../ci/standard-webhooks/traits.ts';
import type { AskedLabels } from './asked-labels.ts';
import type { CiProvider, CiSystemConfig } from './ci-system-config.ts';
import type { CiTraits } from './ci-traits.ts';
import type { RequestPoints } from './request-pace.ts';

const traits: Readonly<Record<CiProvider, CiTraits>> = {
  github: githubTraits,
  gitea: giteaTraits,
  gitlab: gitlabTraits,
  jenkins: jenkinsTraits,
  buildkite: buildkiteTraits,
  forgejo: forgejoTraits,
  standard: standardTraits,
};

/** Says how a kind of CI system differs from the others. */
export function traitsOf(provider: CiProvider): CiTraits {
  return traits[provider];
}

/** Normalises a label, so that two labels are the same to a CI system exactly if their texts are equal. */
export function comparableLabel(provider: CiProvider, label: string): string {
  return traits[provider].labelsHaveCase ? label : label.toLowerCase();
}

/** Reads the labels that a job asks for. */
export function askedLabels(provider: CiProvider, labels: readonly string[]): AskedLabels {
  const comparable = (label: string) => comparableLabel(provider, label);
  const { isMetBy } = traits[provider].askedLabels(labels.map(comparable));
  return {
    ...traits[provider].askedLabels(labels),
    isMetBy: (offered) => isMetBy(new Set([...offered].map(comparable))),
  };
}

/** Says where davit learns of a CI system's jobs. */
export interface EventSource {
  provider: CiProvider;
  scaleSet?: ScaleSetConfig;
}

/** Says whether davit polls a CI system. */
export function isPolled({ provider, scaleSet }: EventSource): boolean {
  return traits[provider].isPolled || scaleSet !== undefined;
}

/** Finds the scale set whose queue davit reads, in place of webhooks. */
export function scaleSetOf({ scaleSet }: EventSource): ScaleSetConfig | undefined {
  return scaleSet;
}

/** Lists the profiles that may take the jobs of a CI system: all, or the only one of its scale set, whose runners are alike. */
export function profilesOf<Profile extends { name: string }>(
  { scaleSet }: EventSource,
  profiles: readonly Profile[],
): readonly Profile[] {
  return scaleSet === undefined ? profiles : profiles.filter(({ name }) => name === scaleSet.profile);
}

/** Says whether davit chooses the job of each agent of a CI system. */
export function isPinned({ provider }: Pick<CiSystemConfig, 'provider'>): boolean {
  return traits[provider].isPinned === true;
}

/**
 * Says what a CI system allows in a minute. Scale sets register their runners at a service of their own.
 *
 * @returns undefined for one without such a limit
 */
export function requestPointsOf({ provider, scaleSet }: EventSource): RequestPoints | undefined {
  return scaleSet === undefined ? traits[provider].requestPoints : undefined;
}

/** Names the secret with which davit acts in a CI system, if it has one. */
export function ciCredentialSecrets(system: CiSystemConfig): string[] {
  const { app, tokenSecret }: Partial<Pick<GithubConfig, 'name' | 'app' | 'tokenSecret'>> = system;
  const secret = app?.privateKeySecret ?? tokenSecret;
  return secret === undefined ? [] : [secret];
}
