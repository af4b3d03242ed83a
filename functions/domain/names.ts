import { createHash } from 'node:crypto';
import * as z from '../zod.ts';

/**
 * A launch's id: a DNS-1035 label of at most 54 characters, so that it is a valid execution name, a label value, and
 * still one with `davit-` before it and `-r9` behind it.
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
  credentialId: 'davit.dev/credential-id',
} as const;

/**
 * Makes the launch id of a GitHub job, from the job and not from the delivery.
 *
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_job
 */
export function githubLaunchId(job: { repositoryId: number; jobId: number; runAttempt: number }): LaunchId {
  return LaunchId.parse(`github-${job.repositoryId}-${job.jobId}-${job.runAttempt}`);
}

/**
 * Makes the launch id of any other caller's job. It ends in a hash of the job id, so that two job ids never share a
 * launch.
 *
 * @param jobId any text of the caller's
 */
export function apiLaunchId(jobId: string): LaunchId {
  const readable = jobId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 32)
    .replace(/-$/, '');
  const hash = createHash('sha256').update(jobId).digest('hex').slice(0, 16);
  return LaunchId.parse(['api', readable, hash].filter((part) => part !== '').join('-'));
}

/** The largest number of relaunches: the generation is one digit in the agent's name. */
export const mostRelaunches = 8;

/**
 * Names a launch's agent. Launch ids end in an attempt's number or in a hash and never as a generation does, so no two
 * agents share a name.
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
