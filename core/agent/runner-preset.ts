import { buildkitePreset } from '../../ci/buildkite/preset.ts';
import { forgejoPreset } from '../../ci/forgejo/preset.ts';
import { giteaPreset } from '../../ci/gitea/preset.ts';
import { githubPreset } from '../../ci/github/preset.ts';
import { gitlabPreset } from '../../ci/gitlab/preset.ts';
import { jenkinsPreset } from '../../ci/jenkins/preset.ts';
import type { RunnerProvider } from '../ci/ci-system-config.ts';
import { connectScript, type RunnerPreset } from './connect-script.ts';
import { literalValue } from './literal-value.ts';
import type { PodTemplateFragment } from './pod-template.ts';

/** Every preset. A new CI system needs one line here, beside its file and its adapter. */
export const presets: Readonly<Record<RunnerProvider, RunnerPreset>> = {
  github: githubPreset,
  gitea: giteaPreset,
  gitlab: gitlabPreset,
  jenkins: jenkinsPreset,
  buildkite: buildkitePreset,
  forgejo: forgejoPreset,
};

/**
 * Fills what a profile's template leaves out of its agent's container with the preset of its runner. Leaves an agent in
 * an init container unchanged: the template says how it passes its secret on.
 */
export function withPreset(
  runner: RunnerProvider,
  agentContainer: string,
  template: PodTemplateFragment = {},
): PodTemplateFragment {
  const { containers = [], initContainers = [] } = template.spec ?? {};
  const isAgent = ({ name }: { name: string }) => name === agentContainer;
  if (initContainers.some(isAgent)) return template;
  const preset = { name: agentContainer, ...presetContainer(presets[runner]) };
  const filled = containers.map((container) => (isAgent(container) ? { ...preset, ...container } : container));
  const all = containers.some(isAgent) ? filled : [...filled, preset];
  return { ...template, spec: { ...template.spec, containers: all } };
}

/** A kubelet expands variables in commands, so this escapes the script. */
function presetContainer({ image, start }: RunnerPreset) {
  return { image, command: ['/bin/sh', '-c', literalValue(connectScript(start))] };
}
