import { present } from '../../core/present.ts';
import type { QueuedJobView as QueuedJob, RefusedWebhooksView } from '../../functions/jobs/queued-job-view-schema.ts';
import { capitalized } from './capitalized.ts';
import { refusedAdvice } from './explanation.ts';
import type { Launch } from './timeline.ts';
import { needsSomebody, whyOf } from './why.ts';

/** Something that needs somebody: launches, jobs or webhooks with one cause. */
export interface Cause {
  /** Distinguishes it from the other causes. */
  key: string;
  /** Whether something has failed, or only waits. */
  kind: 'failed' | 'waits';
  count: number;
  /** In words: `An image could not be pulled within the grace period.` */
  title: string;
  /** An error code, for those who search for it. */
  code?: string;
  /** What it is about: `profile linux`, `labels self-hosted, windows`. */
  about: string;
  /** The latest words of the cluster or the CI system. */
  detail?: string;
  advice?: string;
  /** The first and the last time, ISO 8601. */
  since: string;
  lastAt: string;
  /** When davit gives up on the first of them. */
  givesUpAt?: string;
  /** The latest launch. */
  launchId?: string;
}

/** What a page knows of what may be wrong. */
export interface Symptoms {
  failed: readonly Launch[];
  launching: readonly Launch[];
  jobs: readonly QueuedJob[];
  refusedWebhooks: readonly RefusedWebhooksView[];
}

/** Groups everything that needs somebody by its cause: failures first, then what waits; in each, the latest first. */
export function causesOf({ failed, launching, jobs, refusedWebhooks }: Symptoms, nowEpochMs: number): Cause[] {
  const waiting = launching.filter((launch) => needsSomebody(launch, nowEpochMs));
  return [
    ...grouped([
      ...failed.map((launch) => causeOfLaunch(launch, 'failed', nowEpochMs)),
      ...refusedWebhooks.map(causeOfRefusal),
    ]),
    ...grouped([
      ...jobs.filter(({ waitsFor }) => waitsFor.reason === 'NoProfile').map(causeOfJob),
      ...waiting.map((launch) => causeOfLaunch(launch, 'waits', nowEpochMs)),
    ]),
  ];
}

function grouped(causes: readonly Cause[]): Cause[] {
  const byKey = Map.groupBy(causes, ({ key }) => key);
  return [...byKey.values()].map(merged).toSorted((one, other) => Date.parse(other.lastAt) - Date.parse(one.lastAt));
}

function merged(causes: readonly Cause[]): Cause {
  const latest = causes.reduce((last, each) => (each.lastAt > last.lastAt ? each : last));
  const limits = causes.flatMap(({ givesUpAt }) => givesUpAt ?? []).toSorted();
  return {
    ...latest,
    count: causes.reduce((sum, { count }) => sum + count, 0),
    since: causes.reduce((first, { since }) => (since < first ? since : first), latest.since),
    ...(limits[0] === undefined ? {} : { givesUpAt: limits[0] }),
  };
}

function causeOfLaunch(launch: Launch, kind: Cause['kind'], nowEpochMs: number): Cause {
  const { launchId, plan, waiting } = launch;
  const { what, code, detail = launch.podState?.detail, since, means, advice } = whyOf(launch, nowEpochMs);
  const profile = plan?.profile ?? 'unknown';
  return {
    key: JSON.stringify([kind, code ?? what, profile]),
    kind,
    count: 1,
    title: means ?? sentence(what),
    about: `profile ${profile}`,
    since,
    lastAt: since,
    launchId,
    ...present({ code, detail, advice, givesUpAt: waiting?.givesUpAt }),
  };
}

function causeOfJob({ labels, repository, name, queuedAt, seenAt, waitsFor }: QueuedJob): Cause {
  const at = queuedAt ?? seenAt;
  return {
    key: JSON.stringify(['NoProfile', ...labels]),
    kind: 'waits',
    count: 1,
    title: 'No profile takes these jobs.',
    about: labels.length === 0 ? 'no labels' : `labels ${labels.join(', ')}`,
    detail: `${repository}: ${name}: ${waitsFor.detail}`,
    advice:
      'Add a profile with these labels to davit.yaml, or correct runs-on in the workflow. Until then the jobs stay queued, ' +
      'unless another runner takes them.',
    since: at,
    lastAt: at,
  };
}

function causeOfRefusal({ ciSystem, count, why, since, lastAt }: RefusedWebhooksView): Cause {
  return {
    key: JSON.stringify(['Refused', ciSystem]),
    kind: 'failed',
    count,
    title: 'davit refuses the webhooks of a CI system.',
    about: `CI system ${ciSystem}`,
    detail: why,
    advice: refusedAdvice,
    since,
    lastAt,
  };
}

function sentence(words: string): string {
  return `${capitalized(words)}.`;
}
