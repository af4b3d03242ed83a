import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { runProcess } from '../run-process.ts';
import type { Check } from './check.ts';

/** Makes a check from a program of node_modules/.bin: it must succeed, and its output is the finding. */
export function toolCheck(name: string, tool: string, ...args: string[]): Check {
  return processCheck(name, join(rootFolder, 'node_modules', '.bin', tool), args);
}

/** Makes a check from one of the repository's scripts: it must succeed. */
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
