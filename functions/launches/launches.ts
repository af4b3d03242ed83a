import type { Profile } from '../../core/config/config.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { apiLaunchId, LaunchId } from '../../core/launch/names.ts';
import { limitWords, slotLimitsOf } from '../../core/limits/slot-limits.ts';
import { present } from '../../core/present.ts';
import { shorten } from '../../core/well-formed.ts';
import { type EndAndRetireDeps, endAndRetire } from '../../logic/lifecycle/end-and-retire.ts';
import { planWhereConnected } from '../../logic/lifecycle/plan-where-connected.ts';
import { type RequestedLaunch, requestLaunch } from '../../logic/lifecycle/request-launch.ts';
import { type RequestLimitedDeps, requestLimited } from '../../logic/lifecycle/request-limited.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Launches } from '../../ports/launches.ts';
import { type HttpAnswer, jsonAnswer, revalidatedAnswer } from '../../runtime/http/answer.ts';
import { launchAnswer, subjectOf } from '../../runtime/http/launch-answer.ts';
import { Problem } from '../../runtime/http/problem.ts';
import { checkInput, decodeText, parseJson } from '../../runtime/http/read-json.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { IdempotencyKey, LaunchRequestBody } from './launch-request.ts';
import { launchView } from './launch-view.ts';
import type { EndedLaunchView, LaunchList } from './launch-view-schema.ts';
import { filterOf, ListQuery } from './list-query.ts';

interface LaunchesDeps extends EndAndRetireDeps, RequestLimitedDeps {
  profiles: readonly Profile[];
  launches: Pick<Launches, 'request' | 'get' | 'end' | 'list'>;
  executions: Pick<Executions, 'start' | 'stop'>;
  /** Reads the request's trace header. @default nothing is traced */
  traceHeader?: (() => string | undefined) | undefined;
  nowEpochMs: () => number;
}

/**
 * Answers `POST /launches`, `GET /launches`, `GET /launches/{launchId}` and `DELETE /launches/{launchId}`, for CI
 * servers that call directly and for people. API Gateway checks the caller's identity before.
 *
 * @throws Problem for a request that davit cannot serve; TransientError when a service did not answer
 */
export async function answerLaunches(deps: LaunchesDeps, request: HttpRequest): Promise<HttpAnswer> {
  const { launchId } = request.parameters;
  switch (`${request.method} /launches${launchId === undefined ? '' : '/{launchId}'}`) {
    case 'POST /launches':
      return postLaunch(deps, request);
    case 'GET /launches':
      return listLaunches(deps, request);
    case 'GET /launches/{launchId}':
      return getLaunch(deps, request);
    case 'DELETE /launches/{launchId}':
      return deleteLaunch(deps, launchId, request.caller);
    default:
      throw new Problem('route-unknown', { detail: `There is no ${request.method} here.` });
  }
}

/** The longest text by which people recognise the caller's job. */
const mostJobCharacters = 200;

async function postLaunch(deps: LaunchesDeps, { body, headers }: HttpRequest): Promise<HttpAnswer> {
  const asked = checkInput(LaunchRequestBody, parseJson(decodeText(body)), 'body');
  const launchId = apiLaunchId(asked.jobId ?? idempotencyKeyOf(headers));
  const profile = deps.profiles.find((candidate) => candidate.name === asked.profile);
  if (profile === undefined) {
    throw new Problem('profile-unknown', {
      detail: `There is no profile ${asked.profile}.`,
      extra: { profiles: deps.profiles.map((known) => known.name) },
    });
  }
  const job = asked.jobId === undefined ? undefined : { name: shorten(asked.jobId, mostJobCharacters), attempt: 1 };
  const request = { launchId, sourceUrl: asked.sourceUrl, traceHeader: deps.traceHeader?.(), job };
  const plan = await planWhereConnected(deps, profile, request);
  const { env, labels } = asked;
  const requested = await requestUnderLimits(deps, profile, plan, { ...(env && { env }), ...(labels && { labels }) });
  const taken = requested.record.plan?.profile;
  if (taken !== undefined && taken !== profile.name) {
    throw new Problem('launch-conflict', {
      detail: `The job has the launch ${launchId} of profile ${taken}, not ${profile.name}.`,
      extra: { launchId, profile: taken },
    });
  }
  return launchAnswer(requested);
}

/** A launch without a job counts for its profile alone. It has no queue to wait in: the caller repeats the request. */
async function requestUnderLimits(
  deps: LaunchesDeps,
  profile: Profile,
  plan: LaunchPlan,
  given: Pick<LaunchRecord, 'env' | 'labels'>,
): Promise<RequestedLaunch> {
  const [limit] = slotLimitsOf([], profile);
  const isFree = limit === undefined || (await deps.launches.get(plan.launchId)) !== undefined;
  if (isFree) return requestLaunch(deps, plan, given);
  const outcome = await requestLimited(deps, plan, { limits: [limit], repository: '', given });
  if (outcome.is === 'requested') return outcome.requested;
  const detail = `There are ${limitWords(limit, limit.maxAgents)} already.`;
  throw new Problem('agents-limited', { detail, headers: { 'retry-after': '10' } });
}

/** The key stands for a job's id, for callers that have none: a repeat with the same key is the same launch. */
function idempotencyKeyOf(headers: HttpRequest['headers']): string {
  const { data } = IdempotencyKey.safeParse(headers['idempotency-key']);
  if (data !== undefined) return data;
  throw new Problem('request-invalid', {
    detail: 'In the body: jobId: expected a job id, or a header Idempotency-Key of 1..200 characters',
  });
}

async function listLaunches(deps: LaunchesDeps, { query, headers }: HttpRequest): Promise<HttpAnswer> {
  const asked = checkInput(ListQuery, query, 'query');
  const { status, limit, cursor } = asked;
  const filter = filterOf(asked);
  const page = await deps.launches.list(present({ statuses: status, filter, limit, cursor }));
  if (page === undefined) {
    throw new Problem('request-invalid', { detail: 'In the query: cursor: expected the cursor of an earlier page' });
  }
  const now = deps.nowEpochMs();
  const { unreadable, launches, ...rest } = page;
  const list: LaunchList = {
    ...rest,
    launches: launches.map((record) => launchView(record, now)),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
  return revalidatedAnswer(list, headers['if-none-match']);
}

async function getLaunch(deps: LaunchesDeps, { parameters, headers }: HttpRequest): Promise<HttpAnswer> {
  const launchId = LaunchId.safeParse(parameters['launchId']).data;
  const record = launchId === undefined ? undefined : await deps.launches.get(launchId);
  if (record === undefined) throw launchUnknown();
  return revalidatedAnswer(launchView(record, deps.nowEpochMs()), headers['if-none-match']);
}

async function deleteLaunch(
  deps: LaunchesDeps,
  id: string | undefined,
  caller: HttpRequest['caller'],
): Promise<HttpAnswer> {
  const launchId = LaunchId.safeParse(id).data;
  if (launchId === undefined) throw launchUnknown();
  const atEpochMs = deps.nowEpochMs();
  const ended = await endAndRetire(deps, launchId, {
    outcome: 'terminated',
    code: 'Terminated',
    message: 'the launch was deleted',
    by: 'DELETE /launches',
    actor: { kind: 'person', name: caller ?? 'unknown' },
    atEpochMs,
  });
  if (ended === undefined) throw launchUnknown();
  const view: EndedLaunchView = launchView(ended.record, atEpochMs);
  const answer = jsonAnswer(
    ended.record.status === 'cleaning' ? 202 : 200,
    ended.duplicate ? { ...view, duplicate: true } : view,
  );
  return { ...answer, subject: { ...subjectOf(ended.record), duplicate: ended.duplicate } };
}

function launchUnknown(): Problem {
  return new Problem('launch-unknown', { detail: 'There is no launch of this id, or it is forgotten.' });
}
