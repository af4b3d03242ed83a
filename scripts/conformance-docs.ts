import { allChecks } from '../cli/conformance/all-checks.ts';
import { removal } from '../cli/conformance/run-checks.ts';
import { markdownTable } from './cost/markdown.ts';

/** Writes the table of what davit relies on in a cluster, from the checks of `davit conformance`. */
export function conformanceTable(): string {
  const head = ['check', 'davit relies on this:', 'if it does not hold, davit'];
  const rows = [...allChecks, removal].map(({ name, reliesOn, thenDavit }) => [`\`${name}\``, reliesOn, thenDavit]);
  return markdownTable(head, rows);
}
