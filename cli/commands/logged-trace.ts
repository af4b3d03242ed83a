import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TraceLine } from '../../core/trace/written.ts';
import { traceOfLog } from '../../verify/trace/trace-of-log.ts';
import { CliError } from '../cli-error.ts';
import { readWith } from './evidence-file.ts';

/** Finds the logs of a local davit, older parts too. @throws CliError when there are none */
export async function logsOf(state: string): Promise<string[]> {
  const directory = join(state, 'logs');
  try {
    const names = await readdir(directory);
    return names.filter((name) => /\.log(\.1)?$/.test(name)).map((name) => join(directory, name));
  } catch (error) {
    const advice = 'Start one with `davit local`, or name its state directory: --state DIR.';
    throw new CliError('usage', 'no-logs', `${state} has no logs: no davit has run there`, advice, error);
  }
}

/** Reads the trace that is in logs, oldest write first. @throws CliError for a log that cannot be read */
export async function loggedTrace(logs: readonly string[]): Promise<TraceLine[]> {
  const traces = await Promise.all(logs.map((log) => readWith(traceOfLog, log)));
  return traces.flat().toSorted((one, other) => one.atEpochMs - other.atEpochMs);
}
