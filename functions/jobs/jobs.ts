import { repositoryText } from '../../core/ci/ci-scope.ts';
import { isRecent } from '../../core/ci/refused-webhooks.ts';
import { roundsToLostWebhook } from '../../core/ci/round-cursor.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { matchProfile } from '../../core/job/match-profile.ts';
import type { Jobs, WaitingJob } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { RefusedWebhookStore } from '../../ports/refused-webhooks.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import { reconcileIntervalMinutes } from '../../runtime/function-settings.ts';
import { type HttpAnswer, revalidatedAnswer } from '../../runtime/http/answer.ts';
import { checkInput } from '../../runtime/http/read-json.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { cursorOf, JobQuery, type Position } from './job-query.ts';
import { type LimitPosition, type LimitPositionsDeps, limitPositions } from './limit-positions.ts';
import { type QueuedJob, queuedJobView, refusedWebhooksView } from './queued-job-view.ts';
import type { JobList, LostWebhooksView, RefusedWebhooksView } from './queued-job-view-schema.ts';

interface JobsDeps extends LimitPositionsDeps {
  jobs: LimitPositionsDeps['jobs'] & Pick<Jobs, 'listWaiting'>;
  launches: Pick<Launches, 'getMany'>;
  refusedWebhooks: Pick<RefusedWebhookStore, 'get'>;
  cursors: Pick<RoundCursors, 'get'>;
  nowEpochMs: () => number;
}

/** How many records to read at a time. */
const batchJobs = 100;

/**
 * Answers `GET /jobs`, for people: the jobs that wait, oldest first, and what each waits for; on the first page also the
 * webhooks that were refused lately, and within which time one that does not arrive is found. API Gateway checks the caller's identity before.
 *
 * @throws Problem request-invalid; TransientError StoreUnavailable
 */
export async function answerJobs(deps: JobsDeps, { query, headers }: HttpRequest): Promise<HttpAnswer> {
  const asked = checkInput(JobQuery, query, 'query');
  const waiting = await listWaiting(deps, asked);
  const { found, hasMore } = await findShown(deps, asked, waiting);
  const launchIds = found.flatMap(({ job }) => job.lastLaunch?.launchId ?? []);
  const { records } = await deps.launches.getMany(launchIds);
  const isLimited = found.some(({ job }) => job.limitedBy !== undefined);
  const places = isLimited ? await limitPositions(deps) : new Map<string, LimitPosition>();
  const now = deps.nowEpochMs();
  const last = found.at(-1);
  const isFirst = asked.cursor === undefined;
  const names = namesOf(deps, asked);
  const refusedWebhooks = isFirst ? await listRefused(deps, names) : [];
  const lostWebhooks = isFirst ? await listLost(deps, names) : [];
  const list: JobList = {
    jobs: found.map(({ job, ...rest }) =>
      queuedJobView(
        {
          ...rest,
          job,
          launch: job.lastLaunch && records.get(job.lastLaunch.launchId),
          place: places.get(jobKeyOf(job)),
        },
        now,
      ),
    ),
    ...(refusedWebhooks.length === 0 ? {} : { refusedWebhooks }),
    ...(lostWebhooks.length === 0 ? {} : { lostWebhooks }),
    ...(hasMore && last !== undefined ? { cursor: cursorOf(last.position) } : {}),
  };
  return revalidatedAnswer(list, headers['if-none-match']);
}

function namesOf({ ciSystems }: Pick<JobsDeps, 'ciSystems'>, { ciSystem }: Pick<JobQuery, 'ciSystem'>): string[] {
  return ciSystems.map(({ name }) => name).filter((name) => ciSystem === undefined || name === ciSystem);
}

async function listLost({ cursors }: JobsDeps, names: readonly string[]): Promise<LostWebhooksView[]> {
  const known = await Promise.all(names.map(async (ciSystem) => ({ ciSystem, cursor: await cursors.get(ciSystem) })));
  return known.flatMap(({ ciSystem, cursor }) => {
    const rounds = cursor && roundsToLostWebhook(cursor);
    return rounds === undefined ? [] : [{ ciSystem, foundWithinSeconds: rounds * reconcileIntervalMinutes * 60 }];
  });
}

async function listRefused(
  { refusedWebhooks, nowEpochMs }: JobsDeps,
  names: readonly string[],
): Promise<RefusedWebhooksView[]> {
  const known = await Promise.all(names.map(async (name) => ({ name, refused: await refusedWebhooks.get(name) })));
  return known.flatMap(({ name, refused }) =>
    refused !== undefined && isRecent(refused, nowEpochMs()) ? [refusedWebhooksView(name, refused)] : [],
  );
}

async function listWaiting(
  deps: JobsDeps,
  { ciSystem, cursor }: Pick<JobQuery, 'ciSystem' | 'cursor'>,
): Promise<WaitingJob[]> {
  const lists = await Promise.all(namesOf(deps, { ciSystem }).map((name) => deps.jobs.listWaiting(name)));
  return lists
    .flat()
    .filter((job) => cursor === undefined || byAge(job, cursor) > 0)
    .toSorted(byAge);
}

function byAge(one: Position, other: Position): number {
  return one.sinceEpochMs - other.sinceEpochMs || compare(one.jobKey, other.jobKey);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

interface Found extends Omit<QueuedJob, 'launch' | 'place'> {
  position: Position;
}

/**
 * Reads records until there is one more than the page shows. The records decide, because the index may be out of date.
 */
async function findShown(
  deps: JobsDeps,
  query: JobQuery,
  waiting: readonly WaitingJob[],
): Promise<{ found: Found[]; hasMore: boolean }> {
  const found: Found[] = [];
  for (let from = 0; from < waiting.length; from += batchJobs) {
    const batch = waiting.slice(from, from + batchJobs);
    const records = await deps.jobs.getMany(batch.map(({ jobKey }) => jobKey));
    const byKey = new Map(records.map((record) => [jobKeyOf(record), record]));
    for (const position of batch) {
      const job = byKey.get(position.jobKey);
      const shown = job && shownAs(deps, query, job);
      if (shown === undefined) continue;
      if (found.length === query.limit) return { found, hasMore: true };
      found.push({ ...shown, position });
    }
  }
  return { found, hasMore: false };
}

function shownAs(
  { ciSystems, profiles }: JobsDeps,
  { status, repository, profile: wanted }: JobQuery,
  job: JobRecord,
): Omit<QueuedJob, 'launch' | 'place'> | undefined {
  if (!status.some((each) => each === job.status)) return undefined;
  if (repository !== undefined && repositoryText(job.repository).toLowerCase() !== repository.toLowerCase()) {
    return undefined;
  }
  const system = ciSystems.find(({ name }) => name === job.ciSystem) ?? { provider: 'standard' as const };
  const { profile, reason: noProfile } = matchProfile(profiles, system, job);
  if (wanted !== undefined && profile?.name !== wanted) return undefined;
  return { job, profile: profile?.name, noProfile };
}
