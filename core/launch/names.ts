import { createHash } from 'node:crypto';
import type { JobId } from '../job/job-id.ts';
import * as z from '../zod.ts';

/**
 * A launch's id: a DNS-1035 label of at most 54 characters, so that it is a valid execution name and label value, even
 * with `davit-` before it and `-r9` behind it.
 */
export const LaunchId = z
  .string()
  .check(
    z.regex(
      /^[a-z]([-a-z0-9]{0,52}[a-z0-9])?$/,
      'expected a launch id: up to 54 of a-z, 0-9 and -, starting with a letter',
    ),
  );
export type LaunchId = z.infer<typeof LaunchId>;

/** An agent's name, which its Service, its Pod and its token carry: a DNS-1035 label. */
export const AgentName = z
  .string()
  .check(
    z.regex(/^davit-[a-z]([-a-z0-9]{0,52}[a-z0-9])?(-r[2-9])?$/, 'expected an agent name: davit- and a launch id'),
  );
export type AgentName = z.infer<typeof AgentName>;

/** The labels by which davit knows its own objects. */
export const labelKeys = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  launchId: 'davit.dev/launch-id',
  agentName: 'davit.dev/agent-name',
  profile: 'davit.dev/profile',
} as const;

/** The annotations on davit's objects. davit reads `credentialId` back; the others are for people. */
export const annotationKeys = {
  execution: 'davit.dev/execution',
  source: 'davit.dev/source-url',
  repository: 'davit.dev/repository',
  workflow: 'davit.dev/workflow',
  run: 'davit.dev/run',
  size: 'davit.dev/size',
  credentialId: 'davit.dev/credential-id',
} as const;

/** The largest attempt number of a job that fits into a launch id: four digits. */
export const mostAttempts = 9999;

/** The largest number of replacements of a job's launch: more than there is time for while a CI system keeps a job queued. */
export const mostReplacements = 9999;

/** The most characters of a launch id with a replacement of more than one digit: a runner's name has room for them. */
const longestReplacedId = 46;

/**
 * Makes the launch id of a CI system's job, from the job and not from the delivery. The longest has 54 characters: a name
 * of 12, two ids of 16 digits, an attempt of 4, and a replacement of one digit. Hashes ids that are text, and then the
 * name too, because before readable text the end of the name would not be visible. Hashes ids also when they leave no
 * room for a replacement of more digits.
 *
 * @param job.attempt 1 to `mostAttempts`
 * @param launches how many launches this attempt has had before, at most `mostReplacements`
 */
export function ciLaunchId({ ciSystem, repositoryId, jobId, attempt }: JobId, launches = 0): LaunchId {
  const isNumbered = typeof repositoryId === 'number' && typeof jobId === 'number';
  const hashed = (mostCharacters: number) => hashedName(`${jobId}`, mostCharacters, [ciSystem, repositoryId, jobId]);
  const idOf = (name: readonly (string | number)[]) =>
    [ciSystem, ...name, attempt, ...(launches === 0 ? [] : [`x${launches}`])].join('-');
  const launchId = idOf(isNumbered ? [repositoryId, jobId] : hashed(16));
  const isTooLong = launches > 9 && launchId.length > longestReplacedId;
  return LaunchId.parse(isTooLong ? idOf(hashed(5)) : launchId);
}

/**
 * Makes the launch id of a warm agent. No job's id has a hash of this length.
 *
 * @param pool any text that names the agent's pool
 * @param number counts the warm agents of the pool
 */
export function warmLaunchId(ciSystem: string, pool: string, number: number): LaunchId {
  const hash = createHash('sha256').update(pool).digest('hex').slice(0, 12);
  return LaunchId.parse(`${ciSystem}-warm-${hash}-${number}`);
}

/**
 * Makes the launch id of any other caller's job. It ends in a hash of the job id, so that two job ids never share a
 * launch.
 *
 * @param jobId any text of the caller's
 */
export function apiLaunchId(jobId: string): LaunchId {
  return LaunchId.parse(['api', ...hashedName(jobId, 32, jobId)].join('-'));
}

/** Makes a name from the readable characters of a text, if there are any, and a hash. */
function hashedName(text: string, mostCharacters: number, hashed: string | readonly unknown[]): string[] {
  const readable = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, mostCharacters)
    .replace(/-$/, '');
  const bytes = typeof hashed === 'string' ? hashed : JSON.stringify(hashed);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return readable === '' ? [hash] : [readable, hash];
}

/** The largest number of relaunches: the generation is one digit in the agent's name. */
export const mostRelaunches = 8;

/**
 * Names a launch's agent. Launch ids end in an attempt's number, a replacement's or a hash, and never as a generation does,
 * so no two agents share a name.
 *
 * @param generation 1, and one more for each relaunch
 */
export function agentNameOf(launchId: LaunchId, generation = 1): AgentName {
  return generation === 1 ? `davit-${launchId}` : `davit-${launchId}-r${generation}`;
}

/** Reads an agent's generation from its name. */
export function generationOf(agentName: AgentName): number {
  return Number(/-r([2-9])$/.exec(agentName)?.[1] ?? 1);
}

/** Finds the launch of an agent of any generation. */
export function launchIdOfAgent(agentName: AgentName): LaunchId {
  return agentName.replace(/^davit-/, '').replace(/-r[2-9]$/, '');
}

/** Says whether an agent belongs to a launch, in any generation. */
export function isAgentOf(launchId: LaunchId, agentName: AgentName): boolean {
  const first = agentNameOf(launchId);
  return agentName === first || agentName.replace(/-r[2-9]$/, '') === first;
}

/** Makes the labels of every object of one generation of a launch. */
export function labelsOf(launch: { launchId: string; agentName: string; profile: string }): Record<string, string> {
  return {
    [labelKeys.managedBy]: 'davit',
    [labelKeys.name]: 'davit-agent',
    [labelKeys.launchId]: launch.launchId,
    [labelKeys.agentName]: launch.agentName,
    [labelKeys.profile]: launch.profile,
  };
}
