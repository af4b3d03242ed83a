import createClient, { type Client } from 'openapi-fetch';
import * as z from 'zod';
import { type ProblemSlug, problems, problemTypeBase } from '../../runtime/http/problems.ts';
import { CliError } from '../cli-error.ts';
import type { ExitReason } from '../exit-codes.ts';
import { askDavit } from './ask-davit.ts';
import type { Connection } from './connection.ts';
import type { paths } from './paths.ts';

/** The HTTP API, by its description. */
export type ApiClient = Client<paths>;

/**
 * Makes a client of a davit. It throws a CliError when davit cannot be reached.
 *
 * @param interrupted ends its requests when the person presses Ctrl-C
 */
export function apiClient(connection: Connection, interrupted?: AbortSignal): ApiClient {
  return createClient<paths>({
    baseUrl: connection.url,
    // `status=launching,failed`, as the description says.
    querySerializer: { array: { style: 'form', explode: false } },
    fetch: (request) => askDavit(connection, request, interrupted),
  });
}

const Problem = z.looseObject({ type: z.string(), title: z.string(), detail: z.string() });
const Message = z.looseObject({ message: z.string() });

/**
 * Returns the body of an answer.
 *
 * @param field a field that davit's answer always has
 * @throws CliError for a problem: its code is the problem's name; or for an answer without the field
 */
export function answered<Data extends object>(
  { data, error, response }: { data?: Data; error?: unknown; response: Response },
  field: keyof Data & string,
): Data {
  if (data === undefined) throw problemError(response.status, error);
  if (Object.hasOwn(Object(data), field)) return data;
  const message = `the answer, ${response.status}, has no field '${field}': it is not davit's`;
  throw new CliError('unreachable', 'not-davit', message, 'Is this the URL of a davit? `davit doctor` says more.');
}

/** Makes the error for a problem, with the advice from davit's documentation. */
export function problemError(status: number, body: unknown): CliError {
  const problem = Problem.safeParse(body).data;
  if (problem === undefined) {
    const message = Message.safeParse(body).data?.message ?? `davit answered ${status}`;
    const advice = status === 403 || status === 401 ? 'Check who calls: --token, or the AWS credentials.' : undefined;
    return new CliError(reasonOf(status), `http-${status}`, message, advice);
  }
  const slug = problem.type.slice(problemTypeBase.length);
  const advice = isSlug(slug) ? problems[slug].advice : undefined;
  const reason = slug.endsWith('-unknown') ? 'unknown' : reasonOf(status);
  return new CliError(reason, slug, `${problem.detail}${choicesOf(problem)}`, advice);
}

/** The names that davit knows instead of the one that it was asked for. */
function choicesOf({ profiles, clusters }: z.infer<typeof Problem>): string {
  const known = z.array(z.string()).safeParse(profiles ?? clusters).data;
  return known === undefined ? '' : ` It knows: ${known.join(', ')}.`;
}

function isSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(problems, text);
}

function reasonOf(status: number): ExitReason {
  if (status === 404 || status === 410) return 'unknown';
  if (status === 401 || status === 403) return 'refused';
  return status >= 500 || status === 429 ? 'unreachable' : 'usage';
}
