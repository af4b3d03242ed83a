import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { askDavit } from '../api/ask-davit.ts';
import { type Connection, reportOf } from '../api/connection.ts';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';

/** A request of the console's page to davit. */
export interface Asked {
  method: string;
  /** The API's path, escaped: `/launches/api-7`. */
  path: string;
  /** The query with its question mark, or empty. */
  search: string;
  ifNoneMatch?: string;
}

/** The requests that the page may make to davit's API. */
const forwarded: readonly { method: string; path: RegExp }[] = [
  { method: 'GET', path: /^\/launches(\/[^/]+)?$/ },
  { method: 'DELETE', path: /^\/launches\/[^/]+$/ },
  { method: 'GET', path: /^\/jobs$/ },
  { method: 'GET', path: /^\/clusters(\/[^/]+)?$/ },
];

/** Says whether the console forwards a request. */
export function isForwarded({ method, path }: Asked): boolean {
  return forwarded.some((each) => each.method === method && each.path.test(path));
}

/** Sends the page's requests to davit, with the credentials of the person who runs the console. */
export interface Forwarder {
  /** @throws CliError when the console cannot find or reach davit */
  send(asked: Asked): Promise<Response>;
  /** Requests a dry run of the sweep. @throws CliError */
  sweepDry(): Promise<SweepReport>;
}

/**
 * Makes a forwarder. A restarted davit has another port and another token. So the forwarder finds davit again when it
 * does not answer, or refuses the caller.
 *
 * @param open finds davit
 */
export function createForwarder(open: () => Promise<Connection>): Forwarder {
  let known: Promise<Connection> | undefined;

  function connection(): Promise<Connection> {
    known ??= open().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  }

  function lookAnew(): Promise<Connection> {
    known = undefined;
    return connection();
  }

  async function send(asked: Asked): Promise<Response> {
    const first = await connection().then((found) => ask(found, asked), failed);
    if ('status' in first && first.status !== 401) return first;
    if ('error' in first && first.error instanceof CliError && first.error.code === 'unanswered') throw first.error;
    const second = await lookAnew().then((found) => ask(found, asked), failed);
    if ('status' in second) return second;
    throw cliErrorOf(second.error);
  }

  async function sweepDry(): Promise<SweepReport> {
    try {
      return await dry(await connection());
    } catch {
      try {
        return await dry(await lookAnew());
      } catch (error) {
        throw cliErrorOf(error);
      }
    }
  }

  return { send, sweepDry };
}

async function dry({ run }: Connection): Promise<SweepReport> {
  return reportOf(SweepReport, 'sweep', await run('sweep', { dryRun: true }));
}

interface Failed {
  error: unknown;
}

function failed(error: unknown): Failed {
  return { error };
}

async function ask(connection: Connection, asked: Asked): Promise<Response | Failed> {
  const { method, path, search, ifNoneMatch } = asked;
  const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  return askDavit(connection, new Request(`${connection.url}${path}${search}`, { method, headers })).catch(failed);
}

function cliErrorOf(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const advice = 'Is it running? `davit doctor` says more.';
  return new CliError('unreachable', 'unreachable', `davit cannot be reached: ${wordsOf(error)}`, advice, error);
}
