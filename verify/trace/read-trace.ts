import { TraceLine } from '../../core/trace/written.ts';
import { readLines } from '../read-lines.ts';
import type { NumberedLine } from './step.ts';

/**
 * Reads a trace, as `davit export-trace` writes it.
 *
 * @param file its name, for errors
 * @throws LineError for a line that is not one of a trace
 */
export function readTrace(text: string, file: string): NumberedLine[] {
  return readLines(text, file, TraceLine).map(({ line, content }) => ({ ...content, line }));
}
