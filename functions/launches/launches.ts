import type { Profile } from '../domain/config.ts';
import { apiLaunchId, LaunchId } from '../domain/names.ts';
import { planLaunch } from '../domain/plan-launch.ts';
import type { HttpAnswer } from '../http/answer.ts';
import { jsonAnswer } from '../http/answer.ts';
import { Problem } from '../http/problem.ts';
import { checkInput, decodeText, parseJson } from '../http/read-json.ts';
import type { HttpRequest } from '../http/request.ts';
import { type EndAndRetireDeps, endAndRetire } from '../launch-lifecycle/end-and-retire.ts';
import { launchAnswer, subjectOf } from '../launch-lifecycle/launch-answer.ts';
import { requestLaunch } from '../launch-lifecycle/request-launch.ts';
import type { Executions } from '../ports/executions.ts';
import type { Launches } from '../ports/launches.ts';
import { LaunchRequestBody } from './launch-request.ts';
import { launchView } from './launch-view.ts';
import { ListQuery } from './list-query.ts';

/** What the launches function needs. */
export interface LaunchesDeps extends EndAndRetireDeps {
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
 * @throws Problem for a request that cannot be met; TransientError when a service did not answer
 */
export async function answerLaunches(deps: LaunchesDeps, request: HttpRequest): Promise<HttpAnswer> {
  const { launchId } = request.parameters;
  switch (`${request.method} /launches${launchId === undefined ? '' : '/{launchId}'}`) {
    case 'POST /launches':
      return postLaunch(deps, request.body);
    case 'GET /launches':
      return listLaunches(deps, request.query);
    case 'GET /launches/{launchId}':
      return getLaunch(deps, launchId);
    case 'DELETE /launches/{launchId}':
      return deleteLaunch(deps, launchId);
    default:
      throw new Problem('route-unknown', { detail: `There is no ${request.method} here.` });
  }
}

async function postLaunch(deps: LaunchesDeps, body: Buffer): Promise<HttpAnswer> {
  const asked = checkInput(LaunchRequestBody, parseJson(decodeText(body)), 'body');
  const profile = deps.profiles.find((candidate) => candidate.name === asked.profile);
  if (profile === undefined) {
    throw new Problem('profile-unknown', {
      detail: `There is no profile ${asked.profile}.`,
      extra: { profiles: deps.profiles.map((known) => known.name) },
    });
  }
  const launchId = apiLaunchId(asked.jobId);
  const request = { launchId, sourceUrl: asked.sourceUrl, traceHeader: deps.traceHeader?.() };
  const plan = planLaunch(profile, request, deps.nowEpochMs());
  const { env, labels } = asked;
  const requested = await requestLaunch(deps, plan, { ...(env && { env }), ...(labels && { labels }) });
  const taken = requested.record.plan?.profile;
  if (taken !== undefined && taken !== profile.name) {
    throw new Problem('launch-conflict', {
      detail: `The job has the launch ${launchId} of profile ${taken}, not ${profile.name}.`,
      extra: { launchId, profile: taken },
    });
  }
  return launchAnswer(requested);
}

async function listLaunches(deps: LaunchesDeps, query: HttpRequest['query']): Promise<HttpAnswer> {
  const { status, limit, cursor } = checkInput(ListQuery, query, 'query');
  const page = await deps.launches.list({ statuses: status, limit, ...(cursor === undefined ? {} : { cursor }) });
  if (page === undefined) {
    throw new Problem('request-invalid', { detail: 'In the query: cursor: expected the cursor of an earlier page' });
  }
  const now = deps.nowEpochMs();
  const { unreadable, ...readable } = page;
  return jsonAnswer(200, {
    ...readable,
    launches: page.launches.map((record) => launchView(record, now)),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  });
}

async function getLaunch(deps: LaunchesDeps, id: string | undefined): Promise<HttpAnswer> {
  const launchId = LaunchId.safeParse(id).data;
  const record = launchId === undefined ? undefined : await deps.launches.get(launchId);
  if (record === undefined) throw launchUnknown();
  return jsonAnswer(200, launchView(record, deps.nowEpochMs()));
}

async function deleteLaunch(deps: LaunchesDeps, id: string | undefined): Promise<HttpAnswer> {
  const launchId = LaunchId.safeParse(id).data;
  if (launchId === undefined) throw launchUnknown();
  const atEpochMs = deps.nowEpochMs();
  const ended = await endAndRetire(deps, launchId, {
    outcome: 'terminated',
    code: 'Terminated',
    message: 'the launch was deleted',
    by: 'DELETE /launches',
    atEpochMs,
  });
  if (ended === undefined) throw launchUnknown();
  const view = launchView(ended.record, atEpochMs);
  const answer = jsonAnswer(
    ended.record.status === 'cleaning' ? 202 : 200,
    ended.duplicate ? { ...view, duplicate: true } : view,
  );
  return { ...answer, subject: { ...subjectOf(ended.record), duplicate: ended.duplicate } };
}

function launchUnknown(): Problem {
  return new Problem('launch-unknown', { detail: 'There is no launch of this id, or it is forgotten.' });
}
