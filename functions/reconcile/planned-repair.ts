import type { WarmPause } from '../../core/agent/warm-pause.ts';
import type { FailingDelivery } from '../../core/ci/failing-delivery.ts';
import type { CommitReport } from '../../core/job/commit-report.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LostJob } from '../../core/job/lost-job.ts';
import type { ProfileMatch } from '../../core/job/match-profile.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { PlannedRetirement } from './plan-retirements.ts';
import type { Demand } from './pool-view.ts';
import type { RegisteredRunner } from './read-ci.ts';
import type { JobNews } from './round-view.ts';
import type { WarmWish } from './warm-pools.ts';

/** A runner with a name of davit's, and the launch in that name. */
export interface NamedRunner extends RegisteredRunner {
  launchId: LaunchId;
}

/** A repair that a round has decided on. Each is checked again when it is carried out, and may be repeated. */
export type PlannedRepair =
  /** Writes what the CI system says of a job, and binds the job to its agent. */
  | { kind: 'note'; news: JobNews }
  /** Writes why no profile takes a job. */
  | { kind: 'refuse'; job: JobRecord; match: ProfileMatch & { reason: string } }
  /** Ends the wait for a slot of a job whose repository the CI system hides. */
  | { kind: 'forget'; job: JobRecord; reason: string }
  /** Requests a launch for a job: its first one, its k-th replacement, or one again whose record was never written. */
  | { kind: 'launch'; pool: string; demand: Demand; launchId: LaunchId; replacement: number | undefined }
  /** Writes why a job gets no launch. Ends the job, by its CI system's id, where davit holds it and gives it up. */
  | { kind: 'leave'; job: JobRecord; reason: string; finish?: string }
  /** Summons an agent that stands by, for a job. */
  | { kind: 'summon'; job: JobRecord; launch: LaunchRecord }
  /** Requests a warm agent. One that cannot be requested stops the later ones of its pool. */
  | { kind: 'warm'; pool: string; wish: WarmWish; launchId: LaunchId }
  /** Reports that a pool gets no warm agents for some time. */
  | { kind: 'pause'; pause: WarmPause }
  | { kind: 'retire'; pool?: string; retirement: PlannedRetirement }
  /** Remembers a job whose agent infrastructure took. */
  | { kind: 'lose'; lost: LostJob }
  /** Asks the CI system to run lost jobs of one run again. */
  | { kind: 'rerun'; lost: readonly LostJob[] }
  /** Writes or withdraws a report on the CI system's pages. */
  | { kind: 'report'; report: CommitReport }
  | { kind: 'unregister'; runners: readonly NamedRunner[] }
  | { kind: 'redeliver'; delivery: FailingDelivery }
  /** Remembers a webhook that has not arrived, or that has at last. */
  | { kind: 'track'; delivery: FailingDelivery };

/** Names what a repair is about, for errors and for people. */
export function subjectOf(repair: PlannedRepair): string {
  switch (repair.kind) {
    case 'note':
      return `job ${jobKeyOf(repair.news.seen)}`;
    case 'refuse':
    case 'forget':
    case 'leave':
      return `job ${jobKeyOf(repair.job)}`;
    case 'launch':
      return `job ${jobKeyOf(repair.demand.job)}`;
    case 'summon':
      return `launch ${repair.launch.launchId}`;
    case 'warm':
      return `launch ${repair.launchId}`;
    case 'pause':
      return `launch ${repair.pause.last.launchId}`;
    case 'retire':
      return `launch ${repair.retirement.launch.launchId}`;
    case 'lose':
      return `lost job ${repair.lost.jobKey}`;
    case 'rerun':
      return `lost job ${repair.lost[0]?.jobKey}`;
    case 'report':
      return `the report of job ${repair.report.jobKey}`;
    case 'unregister':
      return 'runners without an agent';
    case 'track':
    case 'redeliver':
      return `delivery ${repair.delivery.guid}`;
  }
}

/** Says for people why a repair is planned. */
export function reasonOf(repair: PlannedRepair): string {
  switch (repair.kind) {
    case 'note':
      return `its CI system says that it is ${repair.news.seen.status}`;
    case 'refuse':
      return repair.match.reason;
    case 'forget':
    case 'leave':
      return repair.reason;
    case 'launch':
      return `it is queued without an agent: launch ${repair.launchId}`;
    case 'summon':
      return `job ${jobKeyOf(repair.job)} is queued, and no agent is registered for it`;
    case 'warm':
      return `profile ${repair.wish.profile.name} keeps ${repair.wish.target} idle agents`;
    case 'pause':
      return pauseWords(repair.pause);
    case 'retire':
      return repair.retirement.reason;
    case 'lose':
      return repair.lost.reason;
    case 'rerun':
      return `run ${repair.lost[0]?.runId} of it lost ${repair.lost.length} agents`;
    case 'report':
      return repair.report.description;
    case 'unregister':
      return `no live launch has ${repair.runners.map(({ runner }) => runner.name).join(', ')}`;
    case 'track':
    case 'redeliver':
      return `${repair.delivery.attempts} attempts to deliver it failed`;
  }
}

/** Says for people that a pool has fewer warm agents than davit.yaml wants. */
function pauseWords({ failures, last, failedAtEpochMs, untilEpochMs }: WarmPause): string {
  const often = failures === 1 ? 'a warm agent has' : `${failures} times in a row, warm agents have`;
  const pauseSeconds = (untilEpochMs - failedAtEpochMs) / 1000;
  return `${often} ended without a job; the pool gets none for ${pauseSeconds} s; at last: ${last.ending?.message}`;
}
