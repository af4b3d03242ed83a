import { setTimeout as sleep } from 'node:timers/promises';
import { profileNames } from '../../on-cluster/config.ts';
import { davitUser } from '../../on-cluster/davit-identity.ts';
import { nowEpochMs } from '../../on-cluster/service-requests.ts';
import type { Bench, Measure } from '../bench.ts';
import { atMost } from '../figure.ts';
import { seeHostIps } from './host-ip.ts';

/** A poll step watches for so long before it is entered again. */
const watchSeconds = 20;
const loopSeconds = 3;

/** What it costs to wait for a Pod to be placed, and how soon the wait is over: other launches' Pods are placed meanwhile. */
export const waiting: Measure = {
  name: 'waiting',
  about: 'status.hostIP written → PollHostIP returns; state transitions of a launch that waits 60 s',
  take: async (bench) => {
    const { launcher, audit, size } = bench;
    const waitMs = size.waitSeconds * 1000;
    await audit.read(davitUser);
    const timeline = await launcher.request(profileNames.nobody);
    const { atEpochMs } = await launcher.entered(timeline, 'PollHostIP');

    const soon = await seeHostIps(bench, size.waitSeconds);
    await sleep(Math.max(0, atEpochMs + waitMs - nowEpochMs()));

    const during = timeline.events.filter((event) => event.atEpochMs <= atEpochMs + waitMs);
    const retries = during.filter(({ type, state }) => type === 'TaskScheduled' && state === 'PollHostIP').length - 1;
    const calls = await callsAbout(bench, timeline.agentName);
    await launcher.end(timeline);
    return [
      soon,
      {
        name: `state transitions of a launch that waits ${size.waitSeconds} s, beyond those of one that does not`,
        unit: '',
        contenders: [
          { name: 'davit: retries of PollHostIP', value: retries },
          // Wait, Task, Choice: what such a loop is made of.
          { name: `a loop that polls each ${loopSeconds} s`, value: Math.floor(size.waitSeconds / loopSeconds) * 3 },
        ],
        goal: atMost(retries, Math.ceil(size.waitSeconds / watchSeconds), 'count'),
        note: `Kubernetes API calls about it that ended meanwhile: ${calls}`,
      },
    ];
  },
};

async function callsAbout({ audit }: Bench, agentName: string): Promise<number> {
  return (await audit.read(davitUser)).filter(({ name }) => name === agentName).length;
}
