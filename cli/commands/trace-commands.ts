import { type Command, InvalidArgumentError } from 'commander';
import { readTrace } from '../../verify/trace/read-trace.ts';
import { type TraceVerdict, verifyTrace } from '../../verify/trace/verify-trace.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { type Output, withExamples, withOutput } from './command-options.ts';
import { readWith } from './evidence-file.ts';
import { loggedTrace, logsOf } from './logged-trace.ts';
import { showVerdict } from './show-verdict.ts';

interface VerifyOptions {
  output: Output;
  atRest?: boolean;
  undisturbed?: boolean;
  clockSkew: number;
}

const defaultSkewMs = 5000;

/** Adds `davit export-trace` and `davit verify-trace`. */
export function addTraceCommands(program: Command, terminal: Terminal): void {
  withExamples(
    program
      .command('export-trace')
      .description('write each write of a record, from the logs of a davit')
      .argument('[logs...]', 'exported logs of functions: their lines, or what aws logs filter-log-events writes')
      .option('--state <dir>', 'without logs: the state directory of a local davit', '.davit')
      .action((logs: string[], { state }: { state: string }) => exportTrace(terminal, logs, state)),
    'davit export-trace > trace.jsonl',
    'aws logs filter-log-events --log-group-name GROUP --filter-pattern \'{ $.message = "record written" }\' > webhook.json',
    'davit export-trace webhook.json reconcile.json > trace.jsonl',
  );
  withExamples(
    withOutput(
      program
        .command('verify-trace')
        .description('check a trace against the protocol of docs/model.md')
        .argument('<file>', 'a trace, as davit export-trace writes it')
        .option('--at-rest', 'everything had ended when the trace did: also check that each launch has')
        .option('--undisturbed', 'no function died or stood still: also check that each finished what it began')
        .option('--clock-skew <ms>', 'how far the clocks of functions may differ', milliseconds, defaultSkewMs),
    ).action((file: string, options: VerifyOptions) => verify(terminal, file, options)),
    'davit verify-trace trace.jsonl',
  );
}

function milliseconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Expected milliseconds, from 0 to 9999999.');
  return Number(text);
}

async function exportTrace(terminal: Terminal, logs: readonly string[], state: string): Promise<void> {
  const files = logs.length > 0 ? logs : await logsOf(state);
  const lines = await loggedTrace(files);
  for (const line of lines) terminal.line(JSON.stringify(line));
  terminal.note(`${lines.length} writes of records, from ${files.length} logs`);
}

async function verify(terminal: Terminal, file: string, options: VerifyOptions): Promise<void> {
  const { output, atRest: isAtRest = false, undisturbed: isUndisturbed = false, clockSkew: skewMs } = options;
  const lines = await readWith(readTrace, file);
  if (lines.length === 0) throw new CliError('usage', 'empty-trace', `${file} has no write of a record`);
  const verdict = verifyTrace(lines, { skewMs, isAtRest, isUndisturbed });
  showVerdict(terminal, { file, output }, verdict, {
    counts: countsOf(verdict),
    held: "each step is one of the protocol's",
    broken: `${verdict.findings.length} steps are not the protocol's`,
  });
}

function countsOf({ launches, jobs, limits, clusters, runners, writes, missing }: TraceVerdict): string {
  const records = `${launches} launches, ${jobs} jobs, ${limits} limits, ${clusters} clusters, ${runners} runners`;
  return `${records}: ${writes} writes, and ${missing === 0 ? 'none is missing' : `${missing} more are missing`}`;
}
