import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RuntimePlaces, runtimeFile } from '../../local/runtime/runtime-places.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { askDavit, type Way } from './ask-davit.ts';
import { type TargetOptions, targetOf } from './target.ts';

/** The davit that a command is for. */
export interface ConnectionOptions extends TargetOptions {
  token?: string;
  /** The state directory of a local runtime. */
  state: string;
  region?: string;
}

/** The functions that a schedule runs, and a person too. */
export type ScheduledFunction = 'sweep' | 'reconcile';

/** The davit that a command calls. */
export interface Connection extends Way {
  /** Runs a scheduled function. @returns its answer, as `reportOf` reads it */
  run: (name: ScheduledFunction, payload: object) => Promise<unknown>;
  /** The state directory; absent for a deployed davit. */
  state?: string;
}

/**
 * Finds the davit that a command is for: a deployed one by the outputs of its stack, or a local one by its URL or its
 * state directory.
 *
 * @throws CliError when the command cannot find or reach that davit
 */
export async function connect(options: ConnectionOptions, terminal: Terminal): Promise<Connection> {
  const { env } = terminal;
  const { state } = options;
  const target = targetOf(options, env);
  if (target.kind === 'stack') {
    // Loads this only here, because the AWS SDK takes longer to load than the rest of the command.
    const { openStack } = await import('./stack.ts');
    return openStack(target.stack, options.region);
  }
  const url = target.kind === 'url' ? target.url : (await readPlaces(state)).url;
  // The environment's token is that of the environment's URL, and of no state directory.
  const token = options.token ?? (target.kind === 'url' ? env['DAVIT_TOKEN'] : undefined);
  const isOwn = target.kind === 'state' || options.isStateNamed === true;
  const fetchAsBearer = asBearer(token ?? (await readToken(state, isOwn ? undefined : url)));
  return { url, fetch: fetchAsBearer, run: (name, payload) => runLocally(url, fetchAsBearer, name, payload), state };
}

/**
 * Reads the token of a local runtime.
 *
 * @param asked the URL that it is for, if that may be another davit's, which must not get this one's token
 * @throws CliError when there is no token for that URL
 */
async function readToken(state: string, asked: string | undefined): Promise<string> {
  if (asked === undefined || (await isOwnUrl(state, asked))) return readState(state, 'launches-token');
  const advice =
    'Give the token that its `davit local` printed, --token or DAVIT_TOKEN, or its state directory: --state DIR.';
  throw new CliError('usage', 'token-missing', `there is no token for ${asked}`, advice);
}

async function isOwnUrl(state: string, asked: string): Promise<boolean> {
  try {
    const { url, publicUrl } = await readPlaces(state);
    return [url, publicUrl].includes(asked);
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

/** @throws CliError `token-invalid` */
function asBearer(token: string): Connection['fetch'] {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const advice = 'Give the token that `davit local` prints: --token, or DAVIT_TOKEN.';
    const message = 'the token is empty, or has other characters than a token has';
    throw new CliError('usage', 'token-invalid', message, advice);
  }
  return (request) => {
    request.headers.set('authorization', `Bearer ${token}`);
    return fetch(request);
  };
}

/** How long a scheduled function may take, in milliseconds: as long as the local runtime lets it run. */
const runMs = 75_000;

async function runLocally(
  url: string,
  send: Connection['fetch'],
  name: ScheduledFunction,
  payload: object,
): Promise<unknown> {
  const path = `/${name}s`;
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(payload) });
  const answer = await askDavit({ url, fetch: send }, request, undefined, runMs);
  const text = await answer.text();
  if (answer.ok) return text === '' ? undefined : JSON.parse(text);
  const advice = `The log in davit's state directory, logs/${name}.log, has more.`;
  throw new CliError('failed', `${name}-failed`, `POST ${path}: ${answer.status}: ${text}`, advice);
}

/** Reads the report of a scheduled function. @throws CliError for the answer of another program */
export function reportOf<Report>(
  schema: { safeParse: (answer: unknown) => { data?: Report | undefined } },
  name: ScheduledFunction,
  answer: unknown,
): Report {
  const { data } = schema.safeParse(answer);
  if (data !== undefined) return data;
  const message = `the answer is no report of a ${name}: it is not davit's, or of another version of davit`;
  throw new CliError('unreachable', 'not-davit', message, 'Is this the URL of a davit? `davit doctor` says more.');
}

/** Finds a running local runtime. @throws CliError when none runs with this state directory, or its file is broken */
export async function readPlaces(state: string): Promise<RuntimePlaces> {
  const text = await readState(state, runtimeFile);
  try {
    return RuntimePlaces.parse(JSON.parse(text));
  } catch (error) {
    const message = `${join(state, runtimeFile)} is not as a running davit of this version writes it`;
    const advice = 'Start `davit local` again with this state directory; it writes the file anew.';
    throw new CliError('unreachable', 'runtime-file-broken', message, advice, error);
  }
}

/** Reads a file of a local runtime's state. @throws CliError when there is none */
export async function readState(state: string, name: string): Promise<string> {
  try {
    return await readFile(join(state, name), 'utf8');
  } catch (error) {
    const message = `no local davit runs with the state directory ${state}`;
    const advice =
      'Start one with `davit local`, or name another: --state DIR, --url URL --token TOKEN, or --stack NAME.';
    throw new CliError('unreachable', 'no-runtime', message, advice, error);
  }
}
