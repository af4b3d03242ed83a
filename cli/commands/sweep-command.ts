import type { Command } from 'commander';
import { printable } from '../../core/printable.ts';
import { wordsOf } from '../../functions/sweep/log-report.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { connect, reportOf } from '../api/connection.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { type ApiOptions, apiCommand } from './command-options.ts';

interface SweepOptions extends ApiOptions {
  dryRun?: boolean;
}

/** Adds `davit sweep`. */
export function addSweepCommand(program: Command, terminal: Terminal): void {
  apiCommand(
    program,
    'sweep',
    'remove what is left of launches that are over, now',
    'davit sweep --dry-run',
    'davit sweep --stack Davit --dry-run -o json',
  )
    .option('--dry-run', 'only say what a sweep would do')
    .action((options: SweepOptions) => sweep(terminal, options));
}

async function sweep(terminal: Terminal, options: SweepOptions): Promise<void> {
  const connection = await connect(options, terminal);
  const swept = connection.run('sweep', { dryRun: options.dryRun === true });
  const report = reportOf(SweepReport, 'sweep', await withProgress(terminal, 'sweeping', swept));
  if (options.output === 'json') return terminal.line(JSON.stringify(report, undefined, 2));
  const { findings, errors, seen, left } = report;
  for (const finding of findings) terminal.line(printable(wordsOf(finding)));
  for (const { subject, message } of errors) terminal.line(terminal.style('bad', printable(`${subject}: ${message}`)));
  const found = findings.length === 0 ? 'nothing to do' : `${findings.length} found`;
  terminal.line(`${found}; looked at ${seen.launches} launches and ${seen.objects} objects, ${left} left`);
}
