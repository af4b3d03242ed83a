import type { CiRunner } from '../../core/ci/ci-scope.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import { runnerPrefixOf } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import { shorten } from '../../core/well-formed.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import type { CiJobState, CiSystem, JobNote, PinnedJobs } from '../../ports/ci-system.ts';
import type { CiAccess } from '../ci-credentials.ts';
import { idOf } from '../id-of-name.ts';
import { createRateMeter } from '../rate-meter.ts';
import { refusalsOf } from '../refusals.ts';
import { type ScheduledJob, stateNamed } from './answers.ts';
import { gatherQuestions } from './gather-questions.ts';
import { rulesIn } from './query-rules.ts';
import { StacksApi } from './stacks-api.ts';

/** How davit reaches a queue of Buildkite, and as which stack. Its token is an agent token of the queue's cluster. */
export interface BuildkiteOptions extends CiAccess {
  /** The URL of the agent API, without a slash at its end. */
  url: string;
  /** The organization's slug. */
  organization: string;
  /** The queue's key. */
  queue: string;
  /** The stack's key. @default `davit-`, the installation's id, `-` and the name: no other davit has it */
  stack?: string;
  /** Reads the id of this installation of davit, 8 of 0-9 and a-f. Called only where there is no `stack`. */
  readInstallationId: () => Promise<string>;
}

/** How long a reservation lasts, and a token with it, in seconds: short, so that a job is free again soon after davit stops. */
const reservationSeconds = 300;

/** The longest reason of an end, and the longest note, in characters. */
const longestDetail = 4000;
const longestNote = 256;

/**
 * Acts in a queue of Buildkite, as a stack. davit chooses the job of each agent and reserves the job for it, so nothing is
 * registered and nothing is left: a runner is the name under which an agent connects.
 *
 * @see https://buildkite.com/docs/apis/agent-api/stacks
 */
export function createBuildkite(
  options: BuildkiteOptions,
): CiSystem & CiInspection & { pinned: Required<Omit<PinnedJobs, 'runnerStatus'>> } {
  const { name, url, organization, queue, stack, readInstallationId, readToken, renew, timeoutMs } = options;
  const refuse = refusalsOf(name, 'Buildkite');
  const meter = createRateMeter();
  const headers = async () => ({ authorization: `Token ${await readToken()}` });
  const readKey = async () => stack ?? `${runnerPrefixOf(await readInstallationId())}${name}`;
  const api = new StacksApi({ name, baseUrl: url, headers, renew, meter, timeoutMs }, { readKey, queue });

  async function statesOf(jobIds: readonly string[]): Promise<Map<string, CiJobState>> {
    const states = jobIds.length === 0 ? [] : [...(await api.states(jobIds))];
    return new Map(states.map(([id, state]) => [id, stateNamed(state)]));
  }

  const stateOf = gatherQuestions(statesOf);

  const pinned = {
    lease: { reservationMs: reservationSeconds * 1000, reserve: (jobIds) => api.reserve(jobIds, reservationSeconds) },
    statesOf,
    finish: async (jobId, detail) => void (await api.finish(jobId, shorten(detail, longestDetail))),
    notify: (notes: readonly JobNote[]) =>
      api.notify(notes.map(({ jobId, detail }) => ({ job_uuid: jobId, detail: shorten(detail, longestNote) }))),
  } satisfies PinnedJobs;

  return {
    // Nothing is assigned that davit has not chosen.
    settleMs: 0,
    pinned,
    usage: () => meter.usage(),
    register: async (_scope, runner) => {
      const jobId = runner.pinnedTo ?? refuse('registers agents for one job only');
      // An agent may connect after the reservation has ended, and Buildkite issues tokens for reserved jobs only.
      await api.reserve([jobId], reservationSeconds);
      const token = await api.acquisitionToken(jobId, reservationSeconds);
      return {
        runner: runnerNamed(runner.name),
        environment: {
          BUILDKITE_AGENT_ENDPOINT: url,
          BUILDKITE_AGENT_TOKEN: token,
          BUILDKITE_AGENT_ACQUIRE_JOB: jobId,
          BUILDKITE_AGENT_NAME: runner.name,
          BUILDKITE_AGENT_TAGS: runner.labels.join(','),
        },
      };
    },
    stopAssigning: async () => {},
    removeIfIdle: async (_scope, _runnerId, pinnedTo) => {
      const status = pinnedTo === undefined ? undefined : (await stateOf(pinnedTo))?.status;
      if (status === 'in_progress') return 'busy';
      return status === 'waiting' || status === 'queued' ? 'removed' : 'gone';
    },
    findRunners: async () => [],
    runnersOnPage: async () => ({ runners: [], isLast: true, pages: 1 }),
    runnersNamed: async () => [],
    getRunner: async (_scope, runnerId, pinnedTo) => {
      const status = pinnedTo === undefined ? undefined : (await stateOf(pinnedTo))?.status;
      return status === undefined || status === 'completed' ? undefined : { id: runnerId, name: '' };
    },
    listsJobsOf: 'organization',
    getJob: async (_repository, jobId, known = {}) => {
      const state = await stateOf(`${jobId}`);
      const isTaken = state?.status === 'in_progress' || state?.status === 'completed';
      return state && { ...state, ...(isTaken ? present({ runner: known.runner }) : {}) };
    },
    listJobs: async (_scope, statuses) => {
      if (!statuses.includes('queued')) return [];
      return (await api.scheduledJobs()).map((job) => jobOf(job, organization, queue));
    },
    // Buildkite has no runner groups.
    checkGroup: async () => {},
    listWebhooks: async () => [],
    // An agent token has no permissions of its own: it is accepted for the whole API, or not at all.
    checkRunners: async () => {
      await api.register();
      await api.scheduledJobs();
    },
    listDeliveries: async () => ({ attempts: [] }),
    redeliver: async () => refuse('has no list of deliveries'),
    rerunFailed: async () => refuse("runs a job again by its step's retry rules"),
    setCommitStatus: async () => refuse('has no commit statuses'),
  };
}

function runnerNamed(name: string): CiRunner {
  return { id: idOf(name), name };
}

function jobOf(
  { id, agent_query_rules, scheduled_at, pipeline, build, step }: ScheduledJob,
  owner: string,
  queue: string,
): ReadJob {
  const queuedAtEpochMs = Date.parse(scheduled_at);
  return {
    jobId: id,
    attempt: 1,
    repository: { owner, name: pipeline.slug },
    repositoryId: idOf(pipeline.uuid),
    name: step?.key ?? `${pipeline.slug} #${build.number}`,
    labels: rulesIn(queue, agent_query_rules),
    status: 'queued',
    url: `https://buildkite.com/${owner}/${pipeline.slug}/builds/${build.number}#${id}`,
    runId: build.number,
    ...(Number.isNaN(queuedAtEpochMs) ? {} : { queuedAtEpochMs }),
  };
}
