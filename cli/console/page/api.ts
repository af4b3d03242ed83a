import createClient from 'openapi-fetch';
import type { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import type { paths } from '../../api/paths.ts';
import type { ConsoleSettings } from '../console-settings.ts';

export type { LaunchStatus as Status } from '../../../core/launch/launch-record.ts';
export type { ClusterSummary, ClusterView as Cluster } from '../../../functions/clusters/cluster-view-schema.ts';
export type { JobList, QueuedJobView as QueuedJob } from '../../../functions/jobs/queued-job-view-schema.ts';
export type { LaunchList, LaunchView as Launch } from '../../../functions/launches/launch-view-schema.ts';
export type Sweep = SweepReport;

/** A request that davit or the console answered with an error, or not at all. */
export class AskError extends Error {
  override readonly name = 'AskError';
  /** The HTTP status; undefined when the console itself does not answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

async function askConsole(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new AskError('The console does not answer. Has `davit console` ended? Run it again, and open its new link.');
  }
}

/** davit's HTTP API, by its description. */
export const api = createClient<paths>({
  baseUrl: '/api',
  // `status=launching,failed`, as the description says.
  querySerializer: { array: { style: 'form', explode: false } },
  fetch: askConsole,
});

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Returns the body of an answer. @throws AskError with a problem's detail */
export function answered<Data>({ data, error, response }: Answer<Data>): Data {
  if (data !== undefined) return data;
  throw new AskError(detailOf(error) ?? `The answer is ${response.status}.`, response.status);
}

function detailOf(problem: unknown): string | undefined {
  if (typeof problem === 'string' && problem !== '') return problem;
  if (typeof problem !== 'object' || problem === null) return undefined;
  if ('detail' in problem && typeof problem.detail === 'string') return problem.detail;
  return 'message' in problem && typeof problem.message === 'string' ? problem.message : undefined;
}

/** Keeps the last answer to each request, so that davit sends only changed answers. */
export interface Kept<Data> {
  read: (what: string, ask: (header: { 'If-None-Match'?: string }) => Promise<Answer<Data>>) => Promise<Data>;
}

const mostKept = 50;

/** Makes an empty cache. It returns the very same object for an unchanged answer. */
export function keepAnswers<Data>(): Kept<Data> {
  const kept = new Map<string, { etag: string; data: Data }>();
  return {
    read: async (what, ask) => {
      const known = kept.get(what);
      const answer = await ask(known === undefined ? {} : { 'If-None-Match': known.etag });
      if (answer.response.status === 304 && known !== undefined) return known.data;
      const data = answered(answer);
      const etag = answer.response.headers.get('etag');
      kept.delete(what);
      if (etag !== null) kept.set(what, { etag, data });
      for (const oldest of kept.keys()) {
        if (kept.size <= mostKept) break;
        kept.delete(oldest);
      }
      return data;
    },
  };
}

/** Reads the page's settings that davit's API does not have. */
export async function readSettings(): Promise<ConsoleSettings> {
  return readOwn('/api/settings', 'GET');
}

/** Requests a dry run of the sweep. @throws AskError */
export async function readSweep(): Promise<Sweep> {
  return readOwn('/api/sweep', 'POST');
}

/** Makes a request to the console itself. The console's code types its answer. */
async function readOwn<Data>(path: string, method: string): Promise<Data> {
  const response = await askConsole(new Request(path, { method }));
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  throw new AskError((isProblem ? detailOf(JSON.parse(text)) : undefined) ?? text, response.status);
}
