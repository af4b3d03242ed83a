import { dirname } from 'node:path';
import type { Judge } from './results.ts';

/** The environment variable that names the files for circus-test-runner.ts. */
export const testsVariable = 'DAVIT_MUTATION_TESTS';

/** The test files of a judge, as globs. */
export function testsOf(judge: Judge, mutatedFiles: readonly string[]): string[] {
  if (judge === 'documents') return ['test/prove/mutation/documents-judge.ts', 'test/unit/core/config/*.test.ts'];
  if (judge === 'unit')
    return [
      'test/unit/{adapters,ci,core,functions,logic,runtime}/**/*.test.ts',
      'test/contract/statemachine/definition.test.ts',
    ];
  if (judge === 'simulation') return ['test/prove/mutation/simulation-judge.ts'];
  return [...new Set(mutatedFiles.map((file) => `test/unit/${dirname(file)}/*.test.ts`))];
}
