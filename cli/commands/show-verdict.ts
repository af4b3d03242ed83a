import type { Finding } from '../../verify/finding.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import type { Output } from './command-options.ts';
import { findingLine } from './evidence-file.ts';

/** A verdict in words. */
export interface VerdictWords {
  /** The contents of the file. */
  counts: string;
  /** The sentence that says that everything held. */
  held: string;
  /** The sentence that says that something did not hold. */
  broken: string;
}

/** Shows what a checker found in a file. @throws CliError `not-allowed` when it found something */
export function showVerdict(
  terminal: Terminal,
  { file, output }: { file: string; output: Output },
  verdict: { findings: readonly Finding[] },
  { counts, held, broken }: VerdictWords,
): void {
  const { findings } = verdict;
  if (output === 'json') terminal.line(JSON.stringify(verdict));
  else {
    for (const finding of findings) terminal.line(`${terminal.style('bad', 'broken')} ${findingLine(finding, file)}`);
    terminal.line(counts);
    if (findings.length === 0) terminal.line(`${terminal.style('good', 'held')} ${held}`);
  }
  if (findings.length > 0) throw new CliError('failed', 'not-allowed', broken);
}
