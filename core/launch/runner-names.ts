import { TerminalError } from '../errors/errors.ts';
import { AgentName } from './names.ts';

/** The maximum length of a runner's name in GitHub, in characters. */
const mostCharacters = 64;
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
 * Names the runner of an agent: `davit-0a1b2c3d-github-1-2-1` of `davit-github-1-2-1`.
 *
 * @throws TerminalError CiRefused for a name that is too long: possible only if the job has ids of 13 digits or more
 */
export function runnerNameOf(installationId: string, agentName: AgentName): string {
  const name = `${runnerPrefixOf(installationId)}${agentName.slice(agentPrefix.length)}`;
  if (name.length <= mostCharacters) return name;
  const detail = `the runner's name ${name} has ${name.length} characters, and a CI system takes ${mostCharacters}`;
  throw new TerminalError('CiRefused', detail);
}

/**
 * Finds the agent whose runner has this name.
 *
 * @returns undefined for a runner that is not of this installation
 */
export function agentNameOfRunner(installationId: string, runnerName: string): AgentName | undefined {
  const prefix = runnerPrefixOf(installationId);
  if (!runnerName.startsWith(prefix)) return undefined;
  return AgentName.safeParse(`${agentPrefix}${runnerName.slice(prefix.length)}`).data;
}
