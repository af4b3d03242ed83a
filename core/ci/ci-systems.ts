import type { CiProvider, CiSystemConfig, GithubConfig } from './ci-system-config.ts';

const labelsHaveCase: Readonly<Record<CiProvider, boolean>> = { github: false, gitea: true, standard: false };

/** Normalises a label, so that two labels are the same to a CI system exactly if their texts are equal. */
export function comparableLabel(provider: CiProvider, label: string): string {
  return labelsHaveCase[provider] ? label : label.toLowerCase();
}

/** Names the secret with which davit acts in a CI system, if it has one. */
export function ciCredentialSecrets(system: CiSystemConfig): string[] {
  const { app, tokenSecret }: Partial<Pick<GithubConfig, 'name' | 'app' | 'tokenSecret'>> = system;
  const secret = app?.privateKeySecret ?? tokenSecret;
  return secret === undefined ? [] : [secret];
}
