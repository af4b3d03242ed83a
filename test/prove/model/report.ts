import { brokenVariants, type ModelCheck, type Property, properties } from './checks.ts';
import type { Search } from './spin.ts';

/** A search with its result and its expected result. */
export interface Judged {
  check: ModelCheck;
  found: Search;
  /** The property that must be violated; undefined when all must hold. */
  refutes: Property | undefined;
}

/** Whether a search had its expected result. */
export function isRight({ found, refutes }: Judged): boolean {
  return found.violated === refutes;
}

/** Builds the table of the searches. */
export function tableOf(judged: readonly Judged[]): string {
  const proved = judged.filter(({ refutes }) => refutes === undefined);
  const refuted = judged.filter(({ refutes }) => refutes !== undefined);
  return [
    '|  | the protocol | states | depth | seconds | violated |',
    '| --- | --- | ---: | ---: | ---: | --- |',
    ...proved.map(rowOf),
    '',
    '|  | the protocol, if | states | depth | seconds | violated |',
    '| --- | --- | ---: | ---: | ---: | --- |',
    ...refuted.map(rowOf),
  ].join('\n');
}

/** Builds the table of the properties, with the broken variants that refute each. */
export function propertyTable(): string {
  const rows = Object.entries(properties).map(([property, text]) => {
    const refuting = brokenVariants.filter(({ refutes }) => refutes === property).map(({ title }) => title);
    return `| ${property} | ${text} | ${refuting.join('; ')} |`;
  });
  return ['|  | what is proved | which fails, if |', '| --- | --- | --- |', ...rows].join('\n');
}

function rowOf(judged: Judged): string {
  const { check, found } = judged;
  const { states, depth, seconds, violated = 'nothing' } = found;
  const mark = isRight(judged) ? '✓' : '✗';
  return `| ${mark} | ${check.title} | ${states.toLocaleString('en')} | ${depth} | ${seconds.toFixed(1)} | ${violated} |`;
}
