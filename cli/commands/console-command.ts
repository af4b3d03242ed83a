import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { davitVersion } from '../../core/version.ts';
import { type ConnectionOptions, connect } from '../api/connection.ts';
import { type Target, targetOf } from '../api/target.ts';
import { CliError } from '../cli-error.ts';
import type { ConsoleSettings } from '../console/console-settings.ts';
import { createForwarder } from '../console/forward.ts';
import { readPageFiles } from '../console/page-files.ts';
import { serveConsole } from '../console/serve-console.ts';
import type { Terminal } from '../terminal.ts';
import { pairs, withConnectionOptions, withExamples } from './command-options.ts';

interface ConsoleOptions extends ConnectionOptions {
  port: number;
  price?: Record<string, string>;
}

/** AWS's charge for a launch, in dollars. @see docs/cost.md */
export const dollarsPerLaunch = 0.00024;

/** Adds `davit console`. */
export function addConsoleCommand(program: Command, terminal: Terminal): void {
  withExamples(
    withConnectionOptions(
      program.command('console').description('serve a page that shows launches and clusters, to this machine'),
    )
      .option('--port <n>', 'where to listen on this machine alone; 0 is any free port', portNumber, 0)
      .option(
        '--price <profile=dollars>',
        "dollars for an hour of a profile's Pod, in place of its pricePerHour; may be given several times",
        pairs,
      )
      .action((options: ConsoleOptions) => runConsole(terminal, options)),
    'davit console',
    'davit console --stack Davit --price linux=0.17 --price gpu=3.06',
  );
}

async function runConsole(terminal: Terminal, options: ConsoleOptions): Promise<void> {
  const { port } = options;
  const settings = settingsOf(options, terminal);
  // Finds davit before it opens the page, so that the terminal shows a mistake in the options.
  await connect(options, terminal);
  const davit = createForwarder(() => connect(options, terminal));
  const console = await serveConsole({ files: await readPageFiles(), davit, settings, port }).catch(notListening);
  terminal.line(`Open ${console.link}`);
  terminal.note('The link works once, on this machine. Ctrl-C ends the console.');
  if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
  await console.stop();
}

function notListening(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  throw new CliError('usage', 'not-listening', error.message, 'Give another --port, or none.', error);
}

/** Makes the page's settings for the davit that the options or the environment name. @throws CliError */
export function settingsOf(options: ConsoleOptions, { env }: Pick<Terminal, 'env'>): ConsoleSettings {
  const target = targetOf(options, env);
  return {
    davit: wordsOf(target, options),
    version: davitVersion,
    pricePerHour: pricesOf(options.price ?? {}),
    ...(target.kind === 'stack' ? { dollarsPerLaunch } : {}),
  };
}

function wordsOf(target: Target, { state }: ConsoleOptions): string {
  if (target.kind === 'stack') return `stack ${target.stack}`;
  return target.kind === 'url' ? target.url : `local, ${state}`;
}

function pricesOf(given: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(given).map(([profile, text]) => {
      const dollars = /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
      if (dollars === undefined) {
        throw new CliError('usage', 'price-invalid', `--price ${profile}=${text}: expected dollars, such as 0.17`);
      }
      return [profile, dollars];
    }),
  );
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Expected a port, 0 to 65535.');
  return Number(text);
}
