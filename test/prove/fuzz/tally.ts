import type { BatchResult, CounterExample } from './door.ts';

/** The results of all batches of one door. */
export interface Tally {
  door: string;
  inputs: number;
  answers: Map<string, number>;
  /** The total time of its workers. */
  busyMs: number;
  slowestMs: number;
  failures: CounterExample[];
}

/** Starts a door's tally. */
export function newTally(door: string): Tally {
  return { door, inputs: 0, answers: new Map(), busyMs: 0, slowestMs: 0, failures: [] };
}

/** Adds one batch. @param tookMs its worker's time */
export function addBatch(tally: Tally, result: BatchResult, tookMs: number): void {
  tally.inputs += result.inputs;
  tally.busyMs += tookMs;
  tally.slowestMs = Math.max(tally.slowestMs, result.slowestMs);
  for (const [answer, count] of Object.entries(result.answers)) {
    tally.answers.set(answer, (tally.answers.get(answer) ?? 0) + count);
  }
  if (result.failure) tally.failures.push(result.failure);
}

/** Formats the tallies as a Markdown table, with a row of totals. */
export function tableOf(tallies: readonly Tally[]): string {
  const rows = tallies.map(({ door, inputs, answers, busyMs, slowestMs, failures }) => [
    door,
    number(inputs),
    answersOf(answers),
    (busyMs / 1000).toFixed(1),
    slowestMs.toFixed(0),
    String(failures.length),
  ]);
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
  const slowestMs = Math.max(0, ...tallies.map((tally) => tally.slowestMs));
  const all = [
    '**all**',
    number(sum(({ inputs }) => inputs)),
    '',
    (sum(({ busyMs }) => busyMs) / 1000).toFixed(1),
    slowestMs.toFixed(0),
    String(sum(({ failures }) => failures.length)),
  ];
  const head = ['door', 'inputs', 'answers', 'busy s', 'slowest ms', 'counter-examples'];
  const rules = ['---', '---:', '---', '---:', '---:', '---:'];
  return [head, rules, ...rows, all].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** The most frequent first. */
function answersOf(answers: ReadonlyMap<string, number>): string {
  const sorted = [...answers].toSorted(([, one], [, other]) => other - one);
  return sorted.map(([answer, count]) => `${answer}: ${number(count)}`).join('<br>');
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}
