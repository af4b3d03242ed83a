import { dirname } from 'node:path';
import { reasonFor } from './reasons.ts';
import { type FileResult, type Results, scoreOf, sumOf } from './results.ts';

/** Writes the document about mutants, from the recorded results. */
export function mutationDocs(results: Results): string {
  const folders = Map.groupBy(Object.entries(results), ([file]) => dirname(file));
  const rows = [...folders].map(([folder, files]) =>
    rowOf(
      `\`${folder}\``,
      files.map(([, result]) => result),
    ),
  );
  const survivors = Object.entries(results).flatMap(([file, result]) => survivorsOf(file, result));
  return `# Mutation testing

<!-- Written by \`npm run docs\` from scripts/mutation/results.json and the reasons beside it: change those. -->

[Stryker](https://stryker-mutator.io) changes the code one expression at a time. A test that fails has noticed the change.
\`npm run prove -- mutate --files GLOB\` does so for some files; with \`--record\` it writes what this page shows. The unit tests
judge first: those of the file's own folder, then the comparisons of the generated documents and of \`davit.schema.json\`
that \`npm run check\` makes, with the tests of \`config/\`, then all. The simulation then judges the mutants that they leave,
except with \`--quick\`. davit does not mutate handlers: they only compose, and the end-to-end tests run them.

The table has only measured files: those in \`scripts/mutation/results.json\`. A file that has changed since its commit counts in
its state at that commit.

| folder | noticed | mutants | unnoticed | by the simulation alone | commits |
|---|---|---|---|---|---|
${rows.join('\n')}
${rowOf('**all**', Object.values(results))}

## Unnoticed mutants

| place | code | changed to | why |
|---|---|---|---|
${survivors.join('\n')}
`;
}

function rowOf(name: string, results: readonly FileResult[]): string {
  const sum = sumOf(results);
  const commits = [...new Set(results.map(({ commit }) => commit))].join(', ');
  const counts = [sum.mutants, sum.mutants - sum.killed, sum.bySimulation];
  return `| ${[name, `${scoreOf(sum)} %`, ...counts, commits].join(' | ')} |`;
}

function survivorsOf(file: string, { survivors }: FileResult): string[] {
  return survivors.map((survivor) => {
    const reason = reasonFor(file, survivor) ?? 'a test is missing';
    const cells = [`${file}:${survivor.line}`, codeOf(survivor.original), codeOf(survivor.replacement), reason];
    return `| ${cells.join(' | ')} |`;
  });
}

/** At most 60 characters, on one line of a table. */
function codeOf(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('`', "'");
  return `\`${line.length > 60 ? `${line.slice(0, 59)}…` : line}\``;
}
