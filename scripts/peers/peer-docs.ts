import { markdownTable } from '../cost/markdown.ts';
import type { PeerCell } from './peer-cells.ts';

/** Writes what became of the jobs. */
export function cellsTable(cells: readonly PeerCell[]): string {
  return markdownTable(
    ['fault', 'system', 'jobs', 'completed', 'lost', 'stuck', 'run twice', 'begun again', 'Pods left'],
    cells.map((cell) => [
      ...[cell.fault, cell.system, cell.jobs, cell.completed, cell.lost, cell.stuck],
      ...[cell.runTwice, cell.begunAgain, cell.podsLeft],
    ].map(String)),
  );
}
