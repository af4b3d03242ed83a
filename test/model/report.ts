import { brokenVariants, type ModelCheck, type Property, properties } from './checks.ts';
import type { Search } from './spin.ts';

/** A search, what it came to, and what was to come of it. */
export interface Judged {
  check: ModelCheck;
  found: Search;
  /** The property that had to be violated, or undefined when all of them have to hold. */
  refutes: Property | undefined;
}

/** Says whether a search came to what it has to. */
export function isRight({ found, refutes }: Judged): boolean {
  return found.violated === refutes;
}

/** Makes the table of the searches. */
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

/** Makes the table of the properties, with the broken variants that refute each. */
export function propertyTable(): string {
  const rows = Object.entries(properties).map(([property, says]) => {
    const refuting = brokenVariants.filter(({ refutes }) => refutes === property).map(({ title }) => title);
    return `| ${property} | ${says} | ${refuting.join('; ')} |`;
  });
  return ['|  | what is proved | which fails, if |', '| --- | --- | --- |', ...rows].join('\n');
}

function rowOf(judged: Judged): string {
  const { check, found } = judged;
  const { states, depth, seconds, violated = 'nothing' } = found;
  const mark = isRight(judged) ? '✓' : '✗';
  return `| ${mark} | ${check.title} | ${states.toLocaleString('en')} | ${depth} | ${seconds.toFixed(1)} | ${violated} |`;
}
