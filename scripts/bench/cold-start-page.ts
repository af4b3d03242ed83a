import { markdownTable } from '../cost/markdown.ts';
import { type ColdStart, goalRatio } from './cold-start.ts';

/** When, how often and where cold starts were measured. */
export interface ColdStartRun {
  /** ISO 8601, in days. */
  date: string;
  runs: number;
  node: string;
  processors: number;
  /** The load average of the last minute, after the run. */
  load: number;
}

/** Writes docs/bench/cold-start.md. */
export function coldStartPage(
  coldStarts: readonly ColdStart[],
  { date, runs, node, processors, load }: ColdStartRun,
): string {
  return `# Cold start

<!-- Written by \`npm run prove -- cold --record\`. -->

The processor time that importing a function's bundle takes over a Node.js process that does nothing, in milliseconds. Each
figure is the least of ${runs} processes, which were run by turns: \`npm run prove -- cold\`.

- *libraries* is a bundle that only imports the same packages. The goal is ${goalRatio} times its time.
- *with clients* also makes one client of each AWS service, and the logger. davit's functions make their clients when they
  start: [ADR 28](../adr/0028-clients-are-made-at-the-start.md) says why that costs less than to make them later, although
  it costs the goal.

${date}, Node.js ${node}, ${processors} processors, load average ${load.toFixed(1)}.

${markdownTable(coldStartHead, coldStarts.map(cellsOf))}
`;
}

/** The head of a table of cold starts. */
export const coldStartHead = ['function', 'bundle', 'gzipped', 'davit', 'libraries', 'ratio', 'with clients', 'ratio'];

/** Writes a row of such a table. */
export function cellsOf(coldStart: ColdStart): string[] {
  const { functionName, bundleBytes, gzippedBytes, bundleMs, stubMs, clientsMs } = coldStart;
  const ratio = bundleMs / stubMs;
  return [
    functionName,
    ...[bundleBytes, gzippedBytes].map((bytes) => `${Math.ceil(bytes / 1024)} KiB`),
    bundleMs.toFixed(1),
    stubMs.toFixed(1),
    `${ratio.toFixed(2)}${ratio > goalRatio ? ', missed' : ''}`,
    clientsMs.toFixed(1),
    (bundleMs / clientsMs).toFixed(2),
  ];
}
