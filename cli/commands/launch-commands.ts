import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { LaunchStatus } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import { printable } from '../../core/printable.ts';
import type { LaunchRequestBody as LaunchRequest } from '../../functions/launches/launch-request.ts';
import { answered } from '../api/client.ts';
import { CliError } from '../cli-error.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { durationWords } from '../view/duration.ts';
import { launchLines } from '../view/launch-lines.ts';
import { isHeld, isOver } from '../view/phases.ts';
import { type Column, table } from '../view/table.ts';
import { type Launch, momentLines, timelineOf } from '../view/timeline.ts';
import { isIdleWarm } from '../view/warm.ts';
import { whyLine, whyOf } from '../view/why.ts';
import {
  type ApiOptions,
  apiCommand,
  duration,
  moment,
  openApi,
  pairs,
  wholeNumber,
  withLaunchFilters,
} from './command-options.ts';
import { followLaunch, waitError } from './follow.ts';
import { type LaunchListOptions, listLaunches } from './list-launches.ts';
import { resolveLaunch } from './resolve-launch.ts';

interface LaunchOptions extends ApiOptions {
  job?: string;
  label?: Record<string, string>;
  env?: Record<string, string>;
  sourceUrl?: string;
}

type ListOptions = ApiOptions & LaunchListOptions;

interface WaitOptions extends ApiOptions {
  for: 'connected' | 'over';
  timeout: number;
}

/** Adds the commands about launches. */
export function addLaunchCommands(program: Command, terminal: Terminal): void {
  apiCommand(
    program,
    'launch <profile>',
    'launch one agent',
    'davit launch linux --job build/7 --env BRANCH=main',
    'davit wait "$(davit launch linux -o json | jq -r .launchId)"',
  )
    .option('--job <id>', 'your id of the job: the same id is the same launch (default: a new launch)')
    .option('--label <name=value>', "a label of the Pod's, may be given several times", pairs)
    .option('--env <name=value>', "a variable of the agent's, may be given several times; no secrets", pairs)
    .option('--source-url <url>', 'a link to the job')
    .action((profile: string, options: LaunchOptions) => launch(terminal, profile, options));
  withLaunchFilters(
    apiCommand(
      program,
      'list',
      'list launches, newest first, and why each waits or failed',
      'davit list --status failed --since 1d',
      'davit list --repository acme/app -o json --stack Davit',
    ).option('--status <list>', `some of ${LaunchStatus.options.join(',')}`, statuses),
  )
    .option('--since <moment>', 'requested since then: 2h, or 2026-06-01T10:00:00Z', moment)
    .option('--until <moment>', 'requested until then', moment)
    .option('--limit <n>', 'the most to list', wholeNumber, 20)
    .action((options: ListOptions) => list(terminal, options));
  apiCommand(
    program,
    'show <launch>',
    'show one launch: why it waits or failed, what to do, its log and its timeline',
    'davit show github-186853002-501-1',
  ).action((launchId: string, options: ApiOptions) => show(terminal, launchId, options));
  apiCommand(program, 'watch <launch>', 'follow one launch until it is over', 'davit watch api-build-7-3f2a').action(
    (launchId: string, options: ApiOptions) => watch(terminal, launchId, options),
  );
  apiCommand(
    program,
    'wait <launch>',
    'wait for one launch; the exit code says how it went',
    'davit wait api-build-7-3f2a --for connected --timeout 5m',
  )
    .addOption(new Option('--for <state>', 'what to wait for').choices(['connected', 'over']).default('connected'))
    .addOption(new Option('--timeout <duration>', 'how long at most').argParser(duration).default(10 * 60_000, '10m'))
    .action((launchId: string, options: WaitOptions) => wait(terminal, launchId, options));
  apiCommand(
    program,
    'end <launch>',
    'end one launch, whatever its state; repeating is safe',
    'davit end api-build-7-3f2a',
  ).action((launchId: string, options: ApiOptions) => end(terminal, launchId, options));
}

async function launch(terminal: Terminal, profile: string, options: LaunchOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const { job, label, env, sourceUrl } = options;
  const body: LaunchRequest = { profile, ...present({ jobId: job, labels: label, env, sourceUrl }) };
  const header = job === undefined ? { 'Idempotency-Key': randomUUID() } : {};
  const asked = api.POST('/launches', { body, params: { header } });
  const launched = answered(await withProgress(terminal, `launching an agent of ${profile}`, asked), 'launchId');
  if (options.output === 'json') return terminal.line(JSON.stringify(launched, undefined, 2));
  const { launchId, status, duplicate, reason } = launched;
  const known = duplicate === true ? ` (requested before${reason === undefined ? '' : `: ${reason}`})` : '';
  terminal.line(`${launchId}  ${status}${known}`);
  terminal.note(terminal.style('faint', `davit watch ${launchId}`));
}

async function list(terminal: Terminal, options: ListOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const launches = await withProgress(terminal, 'listing launches', listLaunches(api, options));
  if (options.output === 'json') return terminal.line(JSON.stringify(launches, undefined, 2));
  if (launches.length === 0) return terminal.note('There is no such launch.');
  for (const line of table(columnsAt(terminal.nowEpochMs()), launches, terminal.columns)) terminal.line(line);
}

function statuses(text: string): LaunchStatus[] {
  const read = z.array(LaunchStatus).safeParse(text.split(','));
  if (read.success) return read.data;
  throw new InvalidArgumentError(`Expected some of ${LaunchStatus.options.join(',')}.`);
}

function columnsAt(nowEpochMs: number): Column<Launch>[] {
  return [
    { title: 'LAUNCH', of: ({ launchId }) => launchId },
    { title: 'STATUS', of: ({ status }) => status },
    { title: 'PROFILE', of: ({ plan }) => plan?.profile ?? '' },
    { title: 'CLUSTER', of: ({ plan }) => plan?.cluster ?? '' },
    { title: 'AGE', of: ({ requestedAt }) => durationWords(nowEpochMs - Date.parse(requestedAt)) },
    { title: 'JOB', of: jobOf, mostOnTerminal: 30 },
    { title: 'WHY', of: (shown) => whyLine(shown, nowEpochMs) },
  ];
}

function jobOf(shown: Launch): string {
  return shown.job?.name ?? shown.plan?.job?.name ?? (isIdleWarm(shown) ? 'none, warm' : 'none');
}

async function show(terminal: Terminal, launchId: string, options: ApiOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const shown = await withProgress(terminal, `reading ${launchId}`, resolveLaunch(api, launchId));
  if (options.output === 'json') return terminal.line(JSON.stringify(shown, undefined, 2));
  for (const line of launchLines(shown, terminal.nowEpochMs())) terminal.line(line);
}

async function watch(terminal: Terminal, launchId: string, options: ApiOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const told = new Set<string>();
  let waits = '';
  try {
    for await (const shown of followLaunch(api, launchId, terminal.signal)) {
      if (options.output === 'json') terminal.line(JSON.stringify(shown));
      const fresh = timelineOf(shown).filter(({ at, what }) => !told.has(`${at} ${what}`));
      for (const { at, what } of fresh) told.add(`${at} ${what}`);
      if (options.output === 'table')
        for (const line of momentLines(fresh, timelineOf(shown)[0]?.at)) terminal.line(line);
      const now = waitWords(shown, terminal.nowEpochMs());
      if (options.output === 'table' && now !== '' && now !== waits) terminal.line(`${''.padEnd(23)}${now}`);
      waits = now;
      if (hasNoMore(shown)) return failIfFailed(shown);
    }
  } catch (error) {
    throw waitError(error, launchId, terminal.signal);
  }
}

/** What a launch waits for, without the time that has passed: it is told again only when it changes. */
function waitWords(shown: Launch, nowEpochMs: number): string {
  const { waiting } = shown;
  if (waiting === undefined) return '';
  const { what, code, detail = shown.podState?.detail } = whyOf(shown, nowEpochMs);
  const words = [code === undefined ? what : `${what}: ${code}`, detail].filter((part) => part !== undefined);
  return printable(`${words.join(': ')}; gives up at ${waiting.givesUpAt.slice(11, 19)}Z`);
}

async function wait(terminal: Terminal, launchId: string, options: WaitOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(options.timeout)]);
  try {
    for await (const shown of followLaunch(api, launchId, signal)) {
      const isThere = options.for === 'connected' ? shown.status !== 'launching' : hasNoMore(shown);
      if (!isThere) continue;
      if (options.output === 'json') terminal.line(JSON.stringify(shown, undefined, 2));
      else terminal.line(`${shown.launchId}  ${shown.status}`);
      if (options.for === 'connected' && shown.status !== 'connected') throw notConnected(shown);
      return failIfFailed(shown);
    }
  } catch (error) {
    throw waitError(error, launchId, terminal.signal);
  }
}

async function end(terminal: Terminal, text: string, options: ApiOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const { launchId } = await resolveLaunch(api, text);
  const asked = api.DELETE('/launches/{launchId}', { params: { path: { launchId } } });
  const ended = answered(await withProgress(terminal, `ending ${launchId}`, asked), 'launchId');
  if (options.output === 'json') return terminal.line(JSON.stringify(ended, undefined, 2));
  terminal.line(`${ended.launchId}  ${ended.status}${ended.duplicate === true ? ' (ended before)' : ''}`);
}

/** A launch whose Pod is held for somebody to look at has nothing more to wait for. */
function hasNoMore(shown: Launch): boolean {
  return isOver(shown) || isHeld(shown);
}

function failIfFailed({ launchId, ending }: Launch): void {
  if (ending?.outcome !== 'failed') return;
  throw new CliError('failed', ending.code, `${launchId} failed: ${ending.message}`, ending.advice);
}

/** A launch that ended, as failed or terminated, before its agent had connected. */
function notConnected({ launchId, ending }: Launch): CliError {
  const { code = 'Terminated', message = 'it was ended' } = ending ?? {};
  const advice = ending?.outcome === 'failed' ? ending.advice : undefined;
  return new CliError('failed', code, `${launchId} is over: ${message}`, advice);
}
