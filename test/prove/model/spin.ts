import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProcess } from '../../../scripts/run-process.ts';
import { type ModelCheck, modelOf, namedProperties, type Property, properties } from './checks.ts';

/** The result of a search. */
export interface Search {
  /** The violated property; undefined when all of them hold in all states. */
  violated?: Property;
  states: number;
  /** The length of the longest run, in steps. */
  depth: number;
  seconds: number;
}

/** The path of a model, such as `launch.pml`. */
export function modelFile(name: string): string {
  return join(import.meta.dirname, name);
}

/** Collapse compression takes a quarter of the memory, and loses nothing. */
const compilerOptions = ['-w', '-O2', '-DCOLLAPSE', '-DVECTORSZ=512', '-DMEMLIM=3000'];
/** A hash table for 64 million states. */
const searchOptions = ['-m10000', '-w26'];

/** The missing programs among those that the search needs. */
export async function missingPrograms(): Promise<string[]> {
  const programs = [
    ['spin', '-V'],
    ['gcc', '--version'],
  ] as const;
  const missing: string[] = [];
  for (const [program, option] of programs) if (!(await canRun(program, option))) missing.push(program);
  return missing;
}

async function canRun(program: string, option: string): Promise<boolean> {
  try {
    return (await runProcess(program, [option], { cwd: tmpdir() })).exitCode === 0;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw new Error(`${program} cannot be run`, { cause: error });
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * Searches all states of the model with spin, or until it finds a violation.
 *
 * @throws Error when the model is invalid, or the search was incomplete: it ran out of memory, or of depth
 * @see https://spinroot.com/spin/Man/Pan.html
 */
export async function search(check: ModelCheck): Promise<Search> {
  const { title, defines, cycles } = check;
  const folder = await mkdtemp(join(tmpdir(), 'davit-model-'));
  try {
    const run = async (program: string, ...args: string[]) => {
      const { exitCode, output } = await runProcess(program, args, { cwd: folder });
      if (exitCode !== 0) throw new Error(`${title}: ${program} ended with ${exitCode}:\n${output}`);
      return output;
    };
    await run('spin', '-a', ...defines.map((define) => `-D${define}`), modelFile(modelOf(check)));
    await run('gcc', ...compilerOptions, cycles ? '-DNP' : '-DSAFETY', '-o', 'pan', 'pan.c');
    const output = await run(join(folder, 'pan'), ...searchOptions, ...(cycles ? ['-l'] : []));
    return readSearch(title, output);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads the search's output. Unknown output counts as a failure, never as success. */
export function readSearch(title: string, output: string): Search {
  const numberIn = (pattern: RegExp) => {
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new Error(`${title}: the search does not say ${pattern}:\n${output}`);
    return Number(found);
  };
  const found = {
    states: numberIn(/^\s*([\d.e+]+) states, stored/m),
    depth: numberIn(/depth reached (\d+)/),
    seconds: numberIn(/elapsed time ([\d.]+) seconds/),
  };
  if (numberIn(/errors: (\d+)/) > 0) return { ...found, violated: violatedIn(title, output) };
  if (/not completed|max search depth|truncated/.test(output)) {
    throw new Error(`${title}: not all states were searched:\n${output}`);
  }
  return found;
}

/** Reads the number that the model's macro `hold` has put into the assertion. */
function violatedIn(title: string, output: string): Property {
  if (output.includes('non-progress cycle (')) return 'no run goes in circles';
  const number = /assertion violated \(\((\d+)!=0\)/.exec(output)?.[1] ?? '';
  const named = namedProperties[number];
  if (named !== undefined) return named;
  if (isInvariant(number)) return number;
  throw new Error(`${title}: something is wrong with the model itself:\n${output}`);
}

function isInvariant(text: string): text is Property {
  return Object.hasOwn(properties, text);
}
