import { DavitError, TransientError } from '../../core/errors/errors.ts';
import { disruptedJobOf, mayBeDisrupted } from '../../core/job/lost-job.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { labelKeys } from '../../core/launch/names.ts';
import { judgeDisruptionBy } from '../../core/pod/judge-disruption.ts';
import { judgeDisappearanceBy } from '../../core/pod/judge-events.ts';
import type { EventView } from '../../core/pod/kubernetes-objects.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';

/** The dependencies of remembering a job that failed because infrastructure was taking its agent. */
export interface NoteLostJobDeps {
  jobs: Pick<Jobs, 'getMany'>;
  lost: Pick<LostJobs, 'note'>;
}

/** Where the agent's Pod is or was. */
type AgentPod = Pick<LaunchPlan, 'launchId' | 'namespace' | 'agentName'>;

/** The job's end is told by davit's clock, and the disruption by the cluster's, in whole seconds. */
const clocksDifferMs = 5000;

/**
 * Remembers the job that ended a launch, if it failed while infrastructure was taking the agent's Pod: a runner that is told
 * to stop fails its job at once, and the CI system shows no lost agent. Reads the Pod before anything deletes it.
 *
 * @throws TransientError when the cluster or a table did not answer
 */
export async function noteLostJob(
  deps: NoteLostJobDeps,
  cluster: Pick<Cluster, 'pods' | 'reports'>,
  pod: AgentPod,
  record: LaunchRecord,
): Promise<void> {
  const { runs, ending } = record;
  if (runs === undefined || ending === undefined || !mayBeDisrupted(record)) return;
  const [job] = await deps.jobs.getMany([runs.jobKey]);
  if (job?.conclusion !== 'failure') return;
  const disruption = await disruptionOf(cluster, pod, ending.atEpochMs + clocksDifferMs);
  const lost = disruption === undefined ? undefined : disruptedJobOf(job, disruption, ending.atEpochMs);
  if (lost !== undefined) await deps.lost.note(lost);
}

/** @returns what was taking the launch's Pod at that moment, in the cluster's words */
async function disruptionOf(
  { pods, reports }: Pick<Cluster, 'pods' | 'reports'>,
  { launchId, namespace, agentName }: AgentPod,
  atEpochMs: number,
): Promise<string | undefined> {
  const pod = await pods.get(namespace, agentName);
  if (pod === undefined)
    return judgeDisappearanceBy(await readEvents(reports, namespace, agentName), atEpochMs)?.detail;
  return pod.metadata.labels?.[labelKeys.launchId] === launchId ? judgeDisruptionBy(pod, atEpochMs)?.detail : undefined;
}

/** davit works without the right to read Events. */
async function readEvents(reports: Cluster['reports'], namespace: string, agentName: string): Promise<EventView[]> {
  try {
    return await reports.events(namespace, agentName);
  } catch (error) {
    if (!(error instanceof DavitError) || error instanceof TransientError) throw error;
    return [];
  }
}
