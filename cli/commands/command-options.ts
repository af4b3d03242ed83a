import { type Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { type ApiClient, apiClient } from '../api/client.ts';
import { type ConnectionOptions, connect } from '../api/connection.ts';
import type { Terminal } from '../terminal.ts';
import { readDuration } from '../view/duration.ts';

/** The format of a command's output: a table for people, or JSON for programs. */
export type Output = 'table' | 'json';

/** The options of every command that calls a davit. */
export interface ApiOptions extends ConnectionOptions {
  output: Output;
}

/** Adds a command that calls a davit. @param usage its name and its arguments: `show <launch>` */
export function apiCommand(program: Command, usage: string, description: string, ...examples: string[]): Command {
  const command = program.command(usage).description(description);
  return withExamples(withConnectionOptions(withOutput(command)), ...examples);
}

/** Adds the options by which a command finds its davit, and may call it. */
export function withConnectionOptions(command: Command): Command {
  const named = withTargetOptions(command, 'the HTTP API of a local davit (DAVIT_URL)');
  return named.option('--token <token>', 'the token of the run at --url (DAVIT_TOKEN)');
}

/** Adds the options that name a davit. @param url the description of `--url` */
export function withTargetOptions(command: Command, url: string): Command {
  return command
    .option('--url <url>', url)
    .option('--state <dir>', 'the state directory of a local davit', '.davit')
    .on('option:state', () => command.setOptionValue('isStateNamed', true))
    .option('--stack <name>', 'a deployed davit, by the name of its CloudFormation stack (DAVIT_STACK)')
    .option('--region <region>', "the stack's AWS region");
}

/** Adds `-o`. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'a table for people, or JSON for programs')
      .choices(['table', 'json'])
      .default('table'),
  );
}

/** Adds the options that choose launches by their profile, cluster and repository. */
export function withLaunchFilters(command: Command): Command {
  return command
    .option('--profile <name>', 'of this profile')
    .option('--cluster <name>', 'in this cluster')
    .option('--repository <owner/name>', 'for a job of this repository');
}

/** Opens the API that a command's options name. */
export async function openApi(options: ConnectionOptions, terminal: Terminal): Promise<ApiClient> {
  return apiClient(await connect(options, terminal), terminal.signal);
}

/** Adds examples to a command's help. */
export function withExamples(command: Command, ...examples: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

/** The longest time of a timer, in milliseconds: 24 days and some hours. A longer one would be over at once. */
const longestMs = 2_147_483_647;

/** Reads a duration of an option. @returns milliseconds */
export function duration(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined || ms > longestMs)
    throw new InvalidArgumentError('Expected a duration such as 90s, 10m, 2h or 1d, at most 24d.');
  return ms;
}

/** `Date.parse` would also read `10` and `build 7`, as moments of the year 2001. */
const Moment = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** Reads a moment of an option: ISO 8601, or how long ago. @returns ISO 8601, UTC */
export function moment(text: string): string {
  const ago = readDuration(text);
  const epochMs = ago === undefined ? Date.parse(text) : Date.now() - ago;
  if (ago === undefined && !Moment.safeParse(text).success)
    throw new InvalidArgumentError('Expected a moment such as 2026-06-01T10:00:00Z, or 2h ago as 2h.');
  return new Date(epochMs).toISOString();
}

/** Reads a whole number of an option. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 1 to 999999.');
  return Number(text);
}

/** Collects the values of an option that may be given several times. */
export function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** Collects `NAME=VALUE` of an option that may be given several times. */
export function pairs(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected NAME=VALUE.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
