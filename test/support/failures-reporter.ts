import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** What Jest reports of one file. */
interface FileResult {
  testFilePath: string;
  /** Why the file could not be run at all. */
  testExecError?: { message: string } | undefined;
  testResults: { status: string; fullName: string; failureMessages: string[] }[];
}

const linesShown = 4;

/**
 * Prints every failed test with the first lines of its error, after everything else that jest prints. Whoever sees only
 * the end of the output sees what failed.
 */
export default class FailuresReporter {
  onRunComplete(_contexts: unknown, { testResults }: { testResults: FileResult[] }): void {
    const failures = testResults.flatMap(failuresOf);
    if (failures.length > 0) process.stderr.write(`\nFailed:\n${failures.join('\n')}\n`);
  }
}

function failuresOf({ testFilePath, testExecError, testResults }: FileResult): string[] {
  const file = relative(process.cwd(), testFilePath);
  if (testExecError !== undefined) return [`${file}\n${beginning(testExecError.message)}`];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => `${file}: ${fullName}\n${beginning(failureMessages[0] ?? '')}`);
}

/** The first lines of an error, without colours and without other packages' frames. */
function beginning(message: string): string {
  return stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('/node_modules/'))
    .slice(0, linesShown)
    .map((line) => `    ${line.trim().slice(0, 160)}`)
    .join('\n');
}
