import { markdownTable } from '../scripts/cost/markdown.ts';
import { invariants } from './invariants/invariants.ts';
import { type Run, runSeed, type Scenario } from './run-seed.ts';
import { type Shrunk, shrink } from './shrink.ts';
import type { Broken, Tally } from './tally.ts';
import { allFaultKinds, faultKinds } from './world/fault-kinds.ts';
import type { FaultPlan } from './world/faults.ts';
import { startEpochMs } from './world/scheduler.ts';

/** Writes the results of many runs in a line. @param times how many times as many jobs a run had as by its seed */
export function summaryOf({ runs, launches, faults, broken }: Tally, times: number): string {
  const worlds = `${number(runs)} worlds${times === 1 ? '' : `, each with ${times} times as many jobs`}`;
  const hit = `${allFaultKinds.filter((kind) => faults.has(kind)).length} of ${allFaultKinds.length} kinds of fault`;
  return `${number(launches)} launches in ${worlds}; ${hit}; ${number(broken.length)} worlds broke an invariant`;
}

/** Writes the results of many runs as Markdown: launches, faults by kind, statuses and endings reached, invariants. */
export function tables(tally: Tally): string {
  const runsThatBroke = (name: string) =>
    tally.broken.filter(({ violations }) => violations.some(({ invariant }) => invariant === name)).length;
  const faults = allFaultKinds.filter((kind) => tally.faults.has(kind));
  return [
    markdownTable(
      ['', 'count'],
      [
        ['runs', number(tally.runs)],
        ['launches', number(tally.launches)],
        ['launched again', number(tally.relaunches)],
        ['events', number(tally.events)],
        ['kinds of fault that hit', `${faults.length} of ${allFaultKinds.length}`],
        ['runs that broke an invariant', number(tally.broken.length)],
      ],
    ),
    markdownTable(
      ['invariant', 'runs that broke it'],
      invariants.map(({ name }) => [name, number(runsThatBroke(name))]),
    ),
    markdownTable(['status', 'launches that reached it'], counted(tally.statuses)),
    markdownTable(['ending', 'launches'], counted(tally.endings)),
    markdownTable(
      ['fault', 'what it is', 'hits'],
      faults.map((kind) => [kind, faultKinds[kind].is, number(tally.faults.get(kind) ?? 0)]),
    ),
  ].join('\n\n');
}

/** The kinds of world that a seed alone does not say. */
type WorldKind = Pick<Scenario, 'isMixed' | 'times' | 'ci'>;

/** Describes a broken seed in a line, with the command that reproduces it. */
export function brokenLine({ seed, violations }: Broken, scenario: WorldKind = {}): string {
  const [first] = violations;
  return `✗ seed ${seed}: ${first?.invariant}: ${first?.detail}\n  again: ${commandOf(seed, scenario)} --trace`;
}

/** Describes a broken seed in its smallest form, as `findingReport` does. @param seed breaks its first violation's invariant */
export async function shrunkReport({ seed, violations }: Broken, scenario: Scenario): Promise<string> {
  const shrunk = await shrink(await runSeed(seed, scenario), violations[0]?.invariant ?? '', scenario);
  return findingReport(shrunk, [
    `seed ${seed}`,
    ...violations.map(({ invariant, detail }) => `${invariant}: ${detail}`),
  ]);
}

/** Describes a run that broke an invariant: its plan, the command that reproduces it, and everything that happened. */
export function findingReport({ plan, jobs, queued, run }: Shrunk, detail: readonly string[]): string {
  return [
    ...detail.map((each) => `✗ ${each}`),
    `  again: ${commandOf(run.seed, run)} --jobs ${jobs} --queued ${queued} --faults ${faultsArgument(plan)} --trace`,
    ...trace(run),
  ].join('\n');
}

function commandOf(seed: number, { isMixed = false, times = 1, ci }: WorldKind): string {
  const kind = [
    isMixed ? ' --mixed' : '',
    times === 1 ? '' : ` --times ${times}`,
    ci === undefined ? '' : ` --ci ${ci}`,
  ];
  return `npm run simulate -- --seed ${seed} --seeds 1${kind.join('')}`;
}

/** Writes everything that happened in a run, one line each. */
export function trace(run: Run): string[] {
  return run.history.map(({ atEpochMs, kind, ...event }) => {
    const seconds = ((atEpochMs - startEpochMs) / 1000).toFixed(3).padStart(12);
    return `${seconds} s  ${kind.padEnd(16)} ${JSON.stringify(event)}`;
  });
}

/** Writes a plan of faults in the command line's form. */
function faultsArgument(plan: FaultPlan): string {
  return plan.size === 0 ? 'none' : [...plan].map(([kind, rate]) => `${kind}=${rate}`).join(',');
}

function counted(counts: ReadonlyMap<string, number>): string[][] {
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([key, times]) => [key, number(times)]);
}

function number(value: number): string {
  return value.toLocaleString('en');
}
