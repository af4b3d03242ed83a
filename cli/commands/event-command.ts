import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import * as z from 'zod';
import { printable } from '../../core/printable.ts';
import { readEvents, type SentEvents } from '../../local/store/read-store.ts';
import { readPlaces } from '../api/connection.ts';
import { targetOf } from '../api/target.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { wordsOf } from '../words-of.ts';
import { type ApiOptions, apiCommand } from './command-options.ts';

interface EventOptions extends ApiOptions {
  follow?: boolean;
}

const Event = z.object({ time: z.string(), 'detail-type': z.string(), detail: z.record(z.string(), z.unknown()) });

const pauseMs = 300;

/** Adds `davit events`. */
export function addEventCommand(program: Command, terminal: Terminal): void {
  apiCommand(
    program,
    'events',
    'show the events that a local davit has sent',
    'davit events -f',
    'davit events -o json | jq .detail',
  )
    .option('-f, --follow', 'show each new one, until Ctrl-C')
    .action((options: EventOptions) => showEvents(terminal, options));
}

async function showEvents(terminal: Terminal, options: EventOptions): Promise<void> {
  await checkIsLocal(options, terminal);
  try {
    for await (const line of linesOf(options.state, options.follow === true, terminal.signal)) {
      terminal.line(options.output === 'json' ? line : eventLine(line));
    }
  } catch (error) {
    if (!terminal.signal.aborted) throw error;
  }
}

/** @throws CliError when the caller names a davit whose events are not in the state directory */
async function checkIsLocal(options: EventOptions, { env }: Terminal): Promise<void> {
  const target = targetOf(options, env);
  if (target.kind === 'stack') {
    const advice = 'docs/events.md has a rule that writes them to a log group.';
    throw new CliError('usage', 'events-are-local', 'the events of a deployed davit are on its event bus', advice);
  }
  if (target.kind === 'state' || (await readPlaces(options.state)).url === target.url) return;
  const message = `the davit of the state directory ${options.state} is not the one at ${target.url}`;
  throw new CliError('usage', 'other-davit', message, "Name that davit's state directory: --state DIR.");
}

async function* linesOf(state: string, isFollowed: boolean, signal: AbortSignal): AsyncGenerator<string> {
  using events = openEvents(state);
  for (;;) {
    yield* events.next();
    if (!isFollowed) return;
    await sleep(pauseMs, undefined, { signal });
  }
}

function openEvents(state: string): SentEvents {
  try {
    return readEvents(state);
  } catch (error) {
    const advice = 'Start one with `davit local`, or name its state directory: --state DIR.';
    const message = `${state} has no store that can be read: ${wordsOf(error)}`;
    throw new CliError('unreachable', 'no-runtime', message, advice, error);
  }
}

function eventLine(line: string): string {
  const { time, 'detail-type': type, detail } = Event.parse(JSON.parse(line));
  const subject = ['launchId', 'profile', 'cluster', 'code', 'message'].map((key) => detail[key]);
  const words = subject.filter((value) => typeof value === 'string').join('  ');
  return `${time}  ${type.padEnd(16)}  ${printable(words)}`.trimEnd();
}
