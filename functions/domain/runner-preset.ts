import type { RunnerProvider } from './ci-system-config.ts';
import type { PodTemplateFragment } from './pod-template.ts';
import { giteaPreset } from './presets/gitea.ts';
import { githubPreset } from './presets/github.ts';

/** How the runners of one kind of CI system are run, unless a profile says otherwise. */
export interface RunnerPreset {
  /** The container's image. */
  image: string;
}

/** Every preset. A new CI system needs one line here, beside its file and its adapter. */
export const runnerPresets: Readonly<Record<RunnerProvider, RunnerPreset>> = {
  github: githubPreset,
  gitea: giteaPreset,
};

/** Fills what a profile's template leaves out of its agent's container with the preset of its runner. */
export function withPreset(
  runner: RunnerProvider,
  agentContainer: string,
  template: PodTemplateFragment = {},
): PodTemplateFragment {
  const { containers = [] } = template.spec ?? {};
  const preset = { name: agentContainer, ...runnerPresets[runner] };
  const isThere = containers.some(({ name }) => name === agentContainer);
  const filled = containers.map((container) =>
    container.name === agentContainer ? { ...preset, ...container } : container,
  );
  return { ...template, spec: { ...template.spec, containers: isThere ? filled : [...filled, preset] } };
}
