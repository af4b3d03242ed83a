import { setTimeout as sleep } from 'node:timers/promises';
import { totalUsd } from '../../../scripts/cost/cost-model.ts';
import { readCounts } from '../../../scripts/cost/counts.ts';
import { shapeOfDavit } from '../../../scripts/cost/stack-shape.ts';
import { costOfWaiting, placementWait, type WaitingMinute } from '../../../scripts/cost/waiting.ts';
import { heldMs, type Look, looksOf, startedBetween } from '../../../scripts/statemachine/waits.ts';
import { profileNames } from '../../on-cluster/config.ts';
import { davitUser } from '../../on-cluster/davit-identity.ts';
import { nowEpochMs } from '../../on-cluster/service-requests.ts';
import type { Bench, Measure } from '../bench.ts';
import { atMost, type Figure } from '../figure.ts';
import { looksIn } from '../looks.ts';
import { seeHostIps } from './host-ip.ts';

const state = 'PollHostIP';
const loopSeconds = 3;

/**
 * The cost of waiting for a Pod's placement, and how soon the wait ends. Meanwhile the scheduler places other launches'
 * Pods.
 */
export const waiting: Measure = {
  take: async (bench) => {
    const { launcher, audit, size } = bench;
    const waitMs = size.waitSeconds * 1000;
    await audit.read(davitUser);
    const timeline = await launcher.request(profileNames.nobody);
    const { atEpochMs } = await launcher.entered(timeline, state);

    const soon = await seeHostIps(bench, size.waitSeconds);
    await sleep(Math.max(0, atEpochMs + waitMs - nowEpochMs()));

    const looks = looksIn(timeline.events, state, nowEpochMs());
    const calls = await callsAbout(bench, timeline.agentName);
    await launcher.end(timeline);
    // The first minute consists mostly of long looks; the rest of the wait shows the cost of each later minute.
    const span = { fromMs: Math.min(60_000, waitMs / 2), toMs: waitMs };
    return [soon, ...figuresOf(looks, looksOf(state, timeline.agentName), span, `calls about it: ${calls}`)];
  },
};

interface Span {
  fromMs: number;
  toMs: number;
}

function figuresOf(looks: readonly Look[], expected: readonly Look[], span: Span, note: string): Figure[] {
  const minute = minuteIn(looks, span);
  const model = minuteIn(expected, span);
  const seconds = `${span.fromMs / 1000} to ${span.toMs / 1000} s`;
  return [
    {
      name: `state transitions a minute of a launch that waits, ${seconds} after it began`,
      unit: '',
      contenders: [
        { name: 'davit: attempts of PollHostIP', value: minute.looks },
        { name: "by the looks' lengths and the pauses", value: model.looks },
        // Such a loop consists of Wait, Task and Choice.
        { name: `a loop that polls each ${loopSeconds} s`, value: (60 / loopSeconds) * 3 },
      ],
      goal: atMost(minute.looks, 5, 'count'),
      note,
    },
    {
      name: `function time in a minute of waiting, ${seconds} after it began`,
      unit: 's',
      contenders: [
        { name: 'davit, local runtime', value: minute.heldSeconds },
        { name: "by the looks' lengths and the pauses", value: model.heldSeconds },
      ],
      goal: atMost(minute.heldSeconds, 60 / 4, 'measurement', ' s'),
    },
    {
      name: '1,000 launches that wait for such a minute, at list prices',
      unit: '$',
      contenders: [
        { name: 'davit, local runtime', value: usdOf(minute) },
        { name: "by the looks' lengths and the pauses", value: usdOf(model) },
      ],
    },
  ];
}

/** The cost per minute of a part of the wait. */
function minuteIn(looks: readonly Look[], { fromMs, toMs }: Span): WaitingMinute {
  const minutes = (toMs - fromMs) / 60_000;
  const started = startedBetween(looks, fromMs, toMs) / minutes;
  return { looks: started, heldSeconds: heldMs(looks, fromMs, toMs) / 1000 / minutes, reads: started };
}

function usdOf(minute: WaitingMinute): number {
  return totalUsd(costOfWaiting(placementWait, minute, readCounts(), shapeOfDavit()));
}

async function callsAbout({ audit }: Bench, agentName: string): Promise<number> {
  return (await audit.read(davitUser)).filter(({ name }) => name === agentName).length;
}
