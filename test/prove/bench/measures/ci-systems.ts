import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../cluster/until.ts';
import { contenders, type LocalMeasure } from '../bench.ts';
import type { CiSystem, CiSystemKind, News } from '../ci-systems/ci-system.ts';
import { ciSystemKinds } from '../ci-systems/kinds.ts';
import { type CiWorld, startCiWorld } from '../ci-systems/start-ci-world.ts';
import { atMost, type Figure, median, p99Of } from '../figure.ts';
import type { Size } from '../size.ts';
import { summarise } from '../statistics.ts';
import { takeTurns } from '../take-turns.ts';

const goalMs = 2500;
const patienceMs = 120_000;
/** The pause of most polls, over which the jobs are spread. */
const spreadMs = 2000;
const goldenRatio = 0.618;

/** A way to run the jobs, and how long they waited. */
interface Contender {
  name: string;
  runsMs: number[];
  /** Until davit had requested the launch. */
  askedMs: number[];
  /** Queues a job, and waits until it is over. */
  run: () => Promise<JobWait>;
}

interface JobWait {
  untilRunningMs: number;
  untilAskedMs?: number;
}

/** How long a job of each CI system waits for its agent. */
export const ciSystems: LocalMeasure = {
  takeLocally: async ({ size, say, resources }) => {
    const figures: Figure[] = [];
    for (const kind of ciSystemKinds) {
      await using world = resources.use(await startCiWorld(kind));
      const all = contendersOf(kind, world);
      await measureAll(all, size, (round) => say(`ci systems: ${kind.name}, round ${round}`));
      figures.push(...figuresOf(kind.name, all));
    }
    return figures;
  },
};

function contendersOf({ news }: CiSystemKind, world: CiWorld): Contender[] {
  const { withAgent, withDavit, hook, pollPauseMs, askedSince } = world;
  const names: Readonly<Record<News, string>> = {
    polled: `${contenders.davit}, polls each ${pollPauseMs / 1000} s`,
    told: `${contenders.davit}, told by a hook`,
  };
  let jobs = 0;
  // A job's end depends on when davit polls, and the next job must not.
  const pause = () => {
    jobs += 1;
    return sleep(((jobs * goldenRatio) % 1) * spreadMs);
  };
  const none = () => ({ runsMs: [], askedMs: [] });
  return [
    {
      name: 'an agent, connected and idle',
      ...none(),
      run: async () => {
        await withAgent.untilAgentIdle();
        await pause();
        return runJob(withAgent);
      },
    },
    ...news.map((each) => ({
      name: names[each],
      ...none(),
      run: async () => {
        await pause();
        const job = await runJob(withDavit, each === 'told' ? hook : undefined);
        return { ...job, untilAskedMs: (await askedSince(job.queuedAtEpochMs)) - job.queuedAtEpochMs };
      },
    })),
  ];
}

async function runJob(system: CiSystem, hook?: CiWorld['hook']): Promise<JobWait & { queuedAtEpochMs: number }> {
  const job = system.queue(hook);
  const { queuedAtEpochMs } = job;
  const startedAtEpochMs = await until('the job runs', patienceMs, async () => job.startedAtEpochMs());
  await until('the job is over', patienceMs, async () => job.isOver());
  return { queuedAtEpochMs, untilRunningMs: startedAtEpochMs - queuedAtEpochMs };
}

async function measureAll(
  all: readonly Contender[],
  { queuedInSystem: { samples, forSeconds } }: Pick<Size, 'queuedInSystem'>,
  taken: (round: number) => void,
): Promise<void> {
  // The first job loads and compiles code.
  for (const { run } of all) await run();
  const turns = all.map(({ run, runsMs, askedMs }) => async () => {
    const { untilRunningMs, untilAskedMs } = await run();
    runsMs.push(untilRunningMs);
    if (untilAskedMs !== undefined) askedMs.push(untilAskedMs);
  });
  await takeTurns({ samples, forSeconds: forSeconds * all.length }, turns, taken);
}

function figuresOf(system: string, all: readonly Contender[]): Figure[] {
  const name = `ci systems: ${system}, one job at a time, queued →`;
  const launching = all.filter(({ askedMs }) => askedMs.length > 0);
  const [usual] = launching.map(({ askedMs }) => summarise(askedMs).p50);
  return [
    {
      name: `${name} runs, p50`,
      unit: 'ms',
      contenders: all.map((each) => median(each.name, summarise(each.runsMs))),
      note: "until the system shows the job as running. It is a fake, which hands out a job at once: nothing of a real one's own time is in these figures. davit's agent is launched for the job; both agents are the same stand-in, a Node.js process",
    },
    {
      name: `${name} runs, p99`,
      unit: 'ms',
      contenders: all.map((each) => p99Of(each.name, each.runsMs)),
    },
    {
      name: `${name} asked for, p50`,
      unit: 'ms',
      contenders: launching.map((each) => median(each.name, summarise(each.askedMs))),
      ...(usual === undefined ? {} : { goal: atMost(usual, goalMs, 'measurement', ' ms') }),
    },
  ];
}
