import { setTimeout as sleep } from 'node:timers/promises';
import { totalUsd } from '../../../../scripts/cost/cost-model.ts';
import { readCounts } from '../../../../scripts/cost/counts.ts';
import { shapeOfDavit } from '../../../../scripts/cost/stack-shape.ts';
import { costOfWaiting, placementWait, type WaitingMinute } from '../../../../scripts/cost/waiting.ts';
import { heldMs, type Look, looksOf, startedBetween } from '../../../../scripts/statemachine/waits.ts';
import { profileNames } from '../../on-cluster/config.ts';
import { davitUser } from '../../on-cluster/davit-identity.ts';
import { nowEpochMs } from '../../on-cluster/now.ts';
import type { Bench, Measure } from '../bench.ts';
import { atMost, type Contender, type Figure } from '../figure.ts';
import { forget } from '../launchings.ts';
import { looksIn } from '../looks.ts';
import { seeHostIps, writeHostIp } from './host-ip.ts';

const state = 'PollHostIP';
const loopSeconds = 3;
/** In the first minute, looks are long. */
const firstMinuteMs = 60_000;
/** A look begins at most so long after the one before it ended. */
const mostPauseMs = 15_000;
/** The probe ends when it has seen twice that no launch is under way. */
const probeEndsMs = 20_000;

/**
 * The cost of waiting for a Pod's placement, of the launches and of the probe, and how soon the wait ends. In the first
 * wait, the scheduler meanwhile places other launches' Pods.
 */
export const waiting: Measure = {
  take: async (bench) => {
    const [first = 1, ...others] = bench.size.waiting;
    const [crowd, soon] = await Promise.all([waitTogether(bench, first), seeHostIps(bench, bench.size.waitSeconds)]);
    const crowds = [crowd];
    for (const launches of others) crowds.push(await waitTogether(bench, launches));
    return [soon, ...figuresOf(crowds, { fromMs: firstMinuteMs, toMs: bench.size.waitSeconds * 1000 })];
  },
};

interface Span {
  fromMs: number;
  toMs: number;
}

/** Launches that have waited at the same time. Times count from the beginning of each launch's wait. */
interface Crowd {
  looks: readonly Look[][];
  /** The looks by their lengths and the state machine's pauses. */
  expected: readonly Look[][];
  /** The invocations of the probe. */
  probes: readonly Look[];
  /** From each written hostIP to PollHostIP's answer. */
  seenAfterMs: readonly number[];
  /** The Kubernetes API calls about one launch. */
  calls: number;
}

async function waitTogether(bench: Bench, launches: number): Promise<Crowd> {
  const { launcher, davit, audit, size, say } = bench;
  await forget(bench);
  const timelines = await Promise.all(Array.from({ length: launches }, () => launcher.request(profileNames.nobody)));
  const entered = await Promise.all(timelines.map((timeline) => launcher.entered(timeline, state)));
  const beganEpochMs = Math.max(...entered.map(({ atEpochMs }) => atEpochMs));
  say(`${launches} wait`);
  await sleep(Math.max(0, beganEpochMs + size.waitSeconds * 1000 - nowEpochMs()));
  const names = new Set(timelines.map(({ agentName }) => agentName));
  const calls = (await audit.read(davitUser)).filter(({ name }) => names.has(name)).length;
  const seenAfterMs = await Promise.all(timelines.map((timeline) => placeLate(bench, timeline)));
  const looks = timelines.map(({ events }) => looksIn(events, state, nowEpochMs()));
  for (const timeline of timelines) await launcher.end(timeline);
  await sleep(probeEndsMs);
  const probes = (await davit.observe()).invocations
    .filter(({ functionName }) => functionName === 'probe')
    .map((probe) => ({ startMs: probe.startEpochMs - beganEpochMs, endMs: probe.endEpochMs - beganEpochMs }));
  const expected = timelines.map(({ agentName }) => looksOf(state, agentName));
  return { looks, expected, probes, seenAfterMs, calls: calls / launches };
}

/** Places a launch's Pod at a random moment between two looks. @returns how long davit takes to see it */
async function placeLate(bench: Bench, timeline: Parameters<typeof writeHostIp>[1]): Promise<number> {
  await sleep(mostPauseMs * Math.random());
  const { writtenEpochMs, returnedEpochMs } = await writeHostIp(bench, timeline);
  return returnedEpochMs - writtenEpochMs;
}

function figuresOf(crowds: readonly Crowd[], span: Span): Figure[] {
  const last = crowds.at(-1) ?? { looks: [], expected: [], calls: 0 };
  const minutes = crowds.map(({ looks }) => minuteOfEach(looks, span));
  const most = (of: (minute: WaitingMinute) => number) => Math.max(...minutes.map(of));
  const model = minuteOfEach(last.expected, span);
  const each = (of: (minute: WaitingMinute) => number): Contender[] => [
    ...crowds.map(({ looks }, index) => ({
      name: `davit, ${wordsOf(looks.length)}`,
      value: of(minutes[index] ?? model),
    })),
    { name: "by the looks' lengths and the pauses", value: of(model) },
  ];
  const seconds = `${span.fromMs / 1000} to ${span.toMs / 1000} s after it began`;
  return [
    {
      name: `state transitions in a minute of a launch that waits, ${seconds}`,
      unit: '',
      // Such a loop consists of Wait, Task and Choice.
      contenders: [
        ...each(({ looks }) => looks),
        { name: `a loop that polls each ${loopSeconds} s`, value: (60 / loopSeconds) * 3 },
      ],
      goal: atMost(
        most(({ looks }) => looks),
        5,
        'count',
      ),
      note: `attempts of PollHostIP; Kubernetes API calls about each launch in the whole wait: ${last.calls.toFixed(1)}`,
    },
    {
      name: `function time in a minute of a launch that waits, ${seconds}`,
      unit: 's',
      contenders: each(({ heldSeconds }) => heldSeconds),
      goal: atMost(
        most(({ heldSeconds }) => heldSeconds),
        60 / 4,
        'measurement',
        ' s',
      ),
      note: "of the launch's own steps: N launches hold at most N/4 functions. The probe's is apart",
    },
    {
      name: `the probe's function time in that minute, of all launches together`,
      unit: 's',
      contenders: crowds.map(({ looks, probes }) => ({
        name: `davit, ${wordsOf(looks.length)}`,
        value: minuteIn(probes, span).heldSeconds,
      })),
      note: 'one loop for all clusters and launches, while at least one is under way: docs/cost.md has its cost',
    },
    {
      name: 'status.hostIP written after the first minute → PollHostIP returns, the slowest',
      unit: 's',
      contenders: crowds.map(({ looks, seenAfterMs }) => ({
        name: `davit, ${wordsOf(looks.length)}`,
        value: Math.max(...seenAfterMs) / 1000,
      })),
      goal: atMost(Math.max(...crowds.flatMap(({ seenAfterMs }) => seenAfterMs)) / 1000, 15, 'measurement', ' s'),
    },
    {
      name: '1,000 launches that wait for such a minute, at list prices',
      unit: '$',
      contenders: each(usdOf),
    },
  ];
}

function wordsOf(launches: number): string {
  return launches === 1 ? 'one waits' : `${launches} wait`;
}

/** The average use of a launch in a minute of a part of the wait. */
function minuteOfEach(launches: readonly (readonly Look[])[], span: Span): WaitingMinute {
  const minutes = launches.map((looks) => minuteIn(looks, span));
  const mean = (of: (minute: WaitingMinute) => number) =>
    minutes.reduce((sum, minute) => sum + of(minute), 0) / minutes.length;
  return {
    looks: mean(({ looks }) => looks),
    heldSeconds: mean(({ heldSeconds }) => heldSeconds),
    reads: mean(({ reads }) => reads),
  };
}

/** The use per minute in a part of the wait. */
function minuteIn(looks: readonly Look[], { fromMs, toMs }: Span): WaitingMinute {
  const minutes = (toMs - fromMs) / 60_000;
  const started = startedBetween(looks, fromMs, toMs) / minutes;
  return { looks: started, heldSeconds: heldMs(looks, fromMs, toMs) / 1000 / minutes, reads: started };
}

function usdOf(minute: WaitingMinute): number {
  return totalUsd(costOfWaiting(placementWait, minute, readCounts(), shapeOfDavit()));
}
