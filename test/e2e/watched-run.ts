import type { Config } from '../../core/config/config.ts';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import { until } from '../prove/cluster/until.ts';
import { untilExecutionEnds, when } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import {
  type AwsTestRuntime,
  type AwsTestRuntimeOptions,
  startAwsTestRuntime,
} from '../support/start-aws-test-runtime.ts';
import { type Job, newJob, registration } from './jobs.ts';

/** A davit after one launch of each outcome. */
export interface WatchedRun {
  davit: AwsTestRuntime;
  /** The successful launch, whose job is completed. */
  job: Job;
}

/** The launch that failed. */
export const failed = apiLaunchId('unschedulable');
/** The launch that was deleted before its agent had connected. */
export const terminated = apiLaunchId('deleted');
/** The launch that was relaunched after its Pod was evicted, and then deleted. */
export const relaunched = apiLaunchId('evicted');

/**
 * Starts a davit, runs the launches, and waits until they are over and published. davit sweeps and reconciles only on
 * request.
 *
 * @param given davit's other options
 */
export async function startWatchedRun({
  changeConfig = (config) => config,
  ...given
}: Pick<AwsTestRuntimeOptions, 'aws' | 'changeConfig' | 'secrets'> = {}): Promise<WatchedRun> {
  const davit = await startAwsTestRuntime({
    ...given,
    sweepIntervalMs: never,
    reconcileIntervalMs: never,
    changeConfig: (config) => changeConfig(withLaunches(config)),
  });
  const job = newJob();
  await Promise.all([
    runJob(davit, job),
    runUntil(davit, 'unschedulable', 'leaves CreatePod'),
    runUntil(davit, 'deleted', 'enters PublishToken').then(() => davit.launches.end(terminated)),
    runUntil(davit, 'evicted', 'enters PublishToken')
      .then(() => evict(davit, relaunched))
      .then(() => davit.launches.end(relaunched)),
  ]);
  for (const launchId of [job.launchId, failed, terminated, relaunched]) {
    await davit.launches.until(launchId, 'failed', 'terminated');
    await untilExecutionEnds(davit.runtime, launchId);
  }
  await davit.runtime.eventsPublished();
  return { davit, job };
}

const never = 3_600_000;
const patienceMs = 60_000;

function withLaunches(config: Config): Config {
  return withProfiles(config, {
    unschedulable: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 1 } },
    idle: { agent: idle },
  });
}

/** A job whose webhook is delivered twice, whose agent connects, and that completes. */
async function runJob(davit: AwsTestRuntime, job: Job): Promise<void> {
  await davit.github.deliver(job, 'queued');
  await davit.github.deliver(job, 'queued');
  await registration(davit, job);
  await untilExecutionEnds(davit.runtime, job.launchId);
  await davit.github.deliver(job, 'completed');
}

async function runUntil(
  davit: AwsTestRuntime,
  jobId: string,
  moment: 'leaves CreatePod' | 'enters PublishToken',
): Promise<void> {
  const come = new Promise<void>((resolve) => when(davit.runtime, apiLaunchId(jobId), moment, resolve));
  await davit.launches.request({ profile: jobId === 'unschedulable' ? jobId : 'idle', jobId });
  await come;
  if (moment === 'enters PublishToken') await untilPlaced(davit, apiLaunchId(jobId), 1);
}

/** Waits until the token of a generation's agent is published, and the event of that. */
async function untilPlaced({ runtime }: AwsTestRuntime, launchId: string, generation: number): Promise<void> {
  const id = `${launchId}/${generation}/AgentPlaced`;
  await until(id, patienceMs, async () => runtime.eventBus.events.some(({ detail }) => detail['id'] === id));
}

/** Evicts the Pod as a kubelet under memory pressure does, and waits until the next generation's agent has its address. */
async function evict(davit: AwsTestRuntime, launchId: string): Promise<void> {
  const pod = davit.cluster.sandbox.store.get('pods', 'davit-agents', agentNameOf(launchId));
  if (pod === undefined) throw new Error('there is no Pod to evict');
  await davit.cluster.sandbox.node.evict(pod);
  await untilPlaced(davit, launchId, 2);
}
