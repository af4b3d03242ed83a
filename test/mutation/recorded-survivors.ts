import { execFileSync } from 'node:child_process';
import type { Mutant, Results, Survivor } from '../../scripts/mutation/results.ts';

/**
 * Finds the recorded results of files, whose survivors only a new test can notice.
 *
 * @throws RangeError for a file without a result, or that has changed since: all its mutants must be judged
 */
export function resultsToJudgeAgain(results: Results, files: readonly string[]): Results {
  return Object.fromEntries(
    files.map((file) => {
      const result = results[file];
      if (result === undefined || hasChangedSince(result.commit, file)) {
        throw new RangeError(`--survivors: ${file} is not as it was recorded: judge the whole file`);
      }
      return [file, result];
    }),
  );
}

function hasChangedSince(commit: string, file: string): boolean {
  return execFileSync('git', ['diff', '--name-only', commit, '--', file], { encoding: 'utf8' }) !== '';
}

/** The patterns that make Stryker mutate the lines of the survivors. */
export function rangesOfSurvivors(results: Results): string[] {
  const ranges = Object.entries(results).flatMap(([file, { survivors }]) =>
    survivors.map(({ line, original }) => `${file}:${line}-${line + original.split('\n').length - 1}`),
  );
  return [...new Set(ranges)];
}

/** Says whether a mutant is among the recorded survivors: their lines have others. */
export function isRecorded(results: Results, { file, ...mutant }: Mutant): boolean {
  return results[file]?.survivors.some((survivor) => keyOf(survivor) === keyOf(mutant)) ?? false;
}

function keyOf({ line, mutator, original, replacement }: Survivor): string {
  return JSON.stringify([line, mutator, original, replacement]);
}

/** Adds what was noticed of the survivors to the recorded results. */
export function addNoticed(before: Results, found: Results): Results {
  return Object.fromEntries(
    Object.entries(found).map(([file, result]) => {
      const { mutants = 0, bySimulation = 0 } = before[file] ?? {};
      const killed = mutants - result.survivors.length;
      return [file, { ...result, mutants, killed, bySimulation: bySimulation + result.bySimulation }];
    }),
  );
}
