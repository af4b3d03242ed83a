import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { runProcess } from '../run-process.ts';
import type { Check } from './check.ts';

/** Makes the check that a program of node_modules/.bin ends well; what it says is the finding. */
export function toolCheck(name: string, tool: string, ...args: string[]): Check {
  return processCheck(name, join(rootFolder, 'node_modules', '.bin', tool), args);
}

/** Makes the check that one of the repository's own scripts ends well. */
export function scriptCheck(name: string, script: string, ...args: string[]): Check {
  return processCheck(name, process.execPath, [script, ...args]);
}

function processCheck(name: string, program: string, args: string[]): Check {
  return {
    name,
    findings: async () => {
      const { exitCode, output } = await runProcess(program, args, { cwd: rootFolder });
      if (exitCode === 0) return [];
      return [...output.split('\n').filter((line) => line.trim() !== ''), `exit code ${exitCode}`];
    },
  };
}
