import type { Command } from 'commander';
import { printable } from '../../core/printable.ts';
import { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import { connect, reportOf } from '../api/connection.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { type ApiOptions, apiCommand } from './command-options.ts';

interface ReconcileOptions extends ApiOptions {
  dryRun?: boolean;
}

/** Adds `davit reconcile`. */
export function addReconcileCommand(program: Command, terminal: Terminal): void {
  apiCommand(
    program,
    'reconcile',
    "compare jobs and agents with the CI systems' own state, now",
    'davit reconcile --dry-run',
    'davit reconcile --stack Davit --dry-run -o json',
  )
    .option('--dry-run', 'only say what a reconcile would do')
    .action((options: ReconcileOptions) => reconcile(terminal, options));
}

async function reconcile(terminal: Terminal, options: ReconcileOptions): Promise<void> {
  const connection = await connect(options, terminal);
  const reconciled = connection.run('reconcile', { dryRun: options.dryRun === true });
  const report = reportOf(ReconcileReport, 'reconcile', await withProgress(terminal, 'reconciling', reconciled));
  if (options.output === 'json') return terminal.line(JSON.stringify(report, undefined, 2));
  const { planned = [], repairs, errors, seen } = report;
  for (const { ciSystem, kind, subject, reason } of planned) {
    terminal.line(printable(`${ciSystem}: would ${kind} ${subject}: ${reason}`));
  }
  for (const { ciSystem, repair, subject, reason } of repairs) {
    terminal.line(printable(`${ciSystem}: ${repair} ${subject}: ${reason}`));
  }
  for (const { subject, message } of errors) terminal.line(terminal.style('bad', printable(`${subject}: ${message}`)));
  for (const { ciSystem, queued, idle } of seen)
    terminal.line(`${ciSystem}: ${queued} queued jobs, ${idle} idle agents`);
  if (planned.length + repairs.length === 0) terminal.line('nothing to do');
}
