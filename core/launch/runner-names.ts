import { AgentName } from './names.ts';

const agentPrefix = 'davit-';

/**
 * Makes the prefix of the names of all runners of one davit installation. No two installations share it, so each leaves
 * the others' runners alone.
 *
 * @param installationId 8 of 0-9 and a-f
 */
export function runnerPrefixOf(installationId: string): string {
  return `davit-${installationId}-`;
}

/**
 * Names the runner of an agent: `davit-0a1b2c3d-github-1-2-1` of `davit-github-1-2-1`. It has 72 characters at the most, and
 * 64 for a job whose ids have 12 digits at the most.
 */
export function runnerNameOf(installationId: string, agentName: AgentName): string {
  return `${runnerPrefixOf(installationId)}${agentName.slice(agentPrefix.length)}`;
}

/** Finds the agent whose runner has this name. @returns undefined for a runner that is not of this installation */
export function agentNameOfRunner(installationId: string, runnerName: string): AgentName | undefined {
  const prefix = runnerPrefixOf(installationId);
  if (!runnerName.startsWith(prefix)) return undefined;
  return AgentName.safeParse(`${agentPrefix}${runnerName.slice(prefix.length)}`).data;
}
