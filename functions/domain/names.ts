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

/** An agent's name: what its Service, its Pod and its token are called; a DNS-1035 label. */
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

/** The annotations on davit's objects: for people, but for `credentialId`, which is read back. */
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
 * Makes the launch id of a job of any other caller. A job id that is not itself a label is told apart by a hash, so
 * that two job ids never share a launch.
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

/** How often a launch can be tried again at most: one digit in the agent's name. */
export const mostRelaunches = 8;

/**
 * Names a launch's agent: the name of its Service, its Pod and its token. No launch id ends as a generation does (they
 * end with an attempt's number or with a hash), so no two agents have one name.
 *
 * @param generation 1, and one more each time that the launch is tried again
 */
export function agentNameOf(launchId: LaunchId, generation = 1): AgentName {
  return generation === 1 ? `davit-${launchId}` : `davit-${launchId}-r${generation}`;
}

/** Says of which generation of its launch an agent is. */
export function generationOf(agentName: AgentName): number {
  return Number(/-r([2-9])$/.exec(agentName)?.[1] ?? 1);
}

/** Says whether an agent is of a launch, in whichever generation. */
export function isAgentOf(launchId: LaunchId, agentName: AgentName): boolean {
  const first = agentNameOf(launchId);
  return agentName === first || agentName.replace(/-r[2-9]$/, '') === first;
}

/** The labels that everything of one generation of a launch carries. */
export function labelsOf(launch: { launchId: string; agentName: string; profile: string }): Record<string, string> {
  return {
    [labelKeys.managedBy]: 'davit',
    [labelKeys.name]: 'davit-agent',
    [labelKeys.launchId]: launch.launchId,
    [labelKeys.agentName]: launch.agentName,
    [labelKeys.profile]: launch.profile,
  };
}
