import { judge, type Violation } from '../../../simulation/invariants/invariants.ts';
import { type Run, runSeed } from '../../../simulation/run-seed.ts';
import type { HistoryEvent } from '../../../simulation/world/history.ts';
import type { Mutation } from '../../../simulation/world/world.ts';
import { onlyIn, withPortIn } from './mutants/doubles.ts';

const own = 'no queued job waits for its agent';
const other = 'its agent has run nothing for 300 s';
const nobodys = 'nobody asked for this';

/** Chance decides which of two retirements is first. */
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

/** Every retirement is requested twice, with two reasons: one marks the launch, and either may end it. */
const asksTwice = onlyIn(['reconcile'], ({ invokeLater }) => ({
  invokeLater: async (...invocation) => {
    const [functionName, event] = invocation;
    if (functionName === 'retire-runner') await invokeLater(functionName, { ...event, reason: other });
    await invokeLater(...invocation);
  },
}));

const endsForNothing = withPortIn(['retire-runner'], 'launches', (launches) => ({
  end: (launchId, ending, options) => launches.end(launchId, { ...ending, message: nobodys }, options),
}));

const marksForNothing = withPortIn(['retire-runner'], 'registrations', (registrations) => ({
  retire: (launchId, _reason, atEpochMs) => registrations.retire(launchId, nobodys, atEpochMs),
}));

/** Cancels jobs, so that reconcile retires connected agents. */
function runWith(mutation: Mutation, seed = 2): Promise<Run> {
  const plan = new Map([['ciJobCancelled', 0.5]] as const);
  return runSeed(seed, {
    plan,
    jobs: 0,
    queued: 6,
    maxAgents: 'any',
    warm: 0,
    isSized: false,
    ci: 'webhooks',
    mutation,
  });
}

/** The numbers of the invariants that a run breaks, each with what ended the launch. */
function endingsIn(violations: readonly Violation[]): string[] {
  return violations.map(({ invariant, detail }) => `${invariant.split(':')[0]}: ${detail.split('reconcile: ')[1]}`);
}

/** The reason for which each launch that reconcile ended was retiring, and the message of its end. */
function reasonsOf({ world }: Run): string[][] {
  return world.launches
    .latest()
    .filter(({ ending }) => ending?.by === 'reconcile')
    .map(({ retiring, ending }) => [retiring?.reason ?? '', ending?.message ?? '']);
}

describe('a launch that reconcile ends', () => {
  test('may have the reason of one retirement and the ending of another', async () => {
    const runs = await Promise.all(seeds.map((seed) => runWith(asksTwice, seed)));

    expect(runs.flatMap(reasonsOf)).toContainEqual([other, own]);
    expect(runs.flatMap(judge)).toEqual([]);
  });

  test('does not end with a message that nobody asked for', async () => {
    const run = await runWith(endsForNothing);

    expect(new Set(endingsIn(judge(run)))).toEqual(new Set([`3: ${nobodys}`, `9: ${nobodys}`]));
  });

  test('is not retiring for a reason that nobody asked for', async () => {
    const run = await runWith(marksForNothing);

    expect(new Set(endingsIn(judge(run)))).toEqual(new Set([`3: ${own}`, `9: ${own}`]));
  });

  test('does not end before somebody asks for it', async () => {
    const run = await runWith({});
    const isAsk = ({ kind }: HistoryEvent) => kind === 'retirementAsked';
    const atEpochMs = run.history.at(-1)?.atEpochMs ?? 0;
    const late = run.history.filter(isAsk).map((ask) => ({ ...ask, atEpochMs }));
    const history = [...run.history.filter((event) => !isAsk(event)), ...late];

    expect(judge(run)).toEqual([]);
    expect(new Set(endingsIn(judge({ ...run, history })))).toEqual(new Set([`3: ${own}`, `9: ${own}`]));
  });
});
