import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { namespace } from '../../cluster/credentials.ts';
import { profileNames } from '../../on-cluster/config.ts';
import { nowEpochMs } from '../../on-cluster/now.ts';
import { type Bench, contenders } from '../bench.ts';
import { atMost, type Figure, median } from '../figure.ts';
import { turnsOf } from '../size.ts';
import { summarise } from '../statistics.ts';
import type { Timeline } from '../timelines.ts';

const PodStatus = z.object({ status: z.object({ hostIP: z.string().optional() }) });
const pollSeconds = [1, 3] as const;
const mostWaitMs = 3000;

interface Sample {
  davitMs: number;
  sinceSentMs: number;
  loopMs: readonly number[];
}

/** How soon davit sees a Pod's address, sampled repeatedly for some time. */
export async function seeHostIps(bench: Bench, forSeconds: number): Promise<Figure> {
  const samples: Sample[] = [];
  for (const turn of turnsOf({ samples: Number.POSITIVE_INFINITY, forSeconds })) {
    samples.push(await placeOne(bench));
    bench.say(`hostIP written: ${turn}`);
  }
  const davit = summarise(samples.map(({ davitMs }) => davitMs));
  const sinceSent = summarise(samples.map(({ sinceSentMs }) => sinceSentMs));
  const loops = pollSeconds.map((seconds, index) =>
    median(`a loop that polls each ${seconds} s`, summarise(samples.map(({ loopMs }) => loopMs[index] ?? Number.NaN))),
  );
  return {
    name: 'status.hostIP written → PollHostIP returns, p50',
    unit: 'ms',
    contenders: [median(contenders.davit, davit), ...loops],
    goal: atMost(davit.p50, 10, 'measurement', ' ms'),
    note: `written: the API server's answer to the write; since the write was sent, p50 ${sinceSent.p50.toFixed(1)} ms`,
  };
}

/** Writes the hostIP of a Pod without a kubelet, some time after davit and the loops have started to wait for it. */
async function placeOne({ api, launcher }: Bench): Promise<Sample> {
  const timeline = await launcher.request(profileNames.nobody);
  await launcher.entered(timeline, 'PollHostIP');
  const hasHostIp = async () => PodStatus.parse((await api.send(podPath(timeline))).body).status.hostIP !== undefined;
  const loops = pollSeconds.map((seconds) => pollEach(seconds * 1000, hasHostIp));
  await sleep(mostWaitMs * Math.random());

  const { sentEpochMs, writtenEpochMs, returnedEpochMs } = await writeHostIp({ api, launcher }, timeline);
  const loopMs = (await Promise.all(loops)).map((atEpochMs) => atEpochMs - writtenEpochMs);
  await launcher.end(timeline);
  return { davitMs: returnedEpochMs - writtenEpochMs, sinceSentMs: returnedEpochMs - sentEpochMs, loopMs };
}

function podPath({ agentName }: Timeline): string {
  return `/api/v1/namespaces/${namespace}/pods/${agentName}`;
}

/** Writes the hostIP of a launch's Pod, and waits until PollHostIP has returned. */
export async function writeHostIp({ api, launcher }: Pick<Bench, 'api' | 'launcher'>, timeline: Timeline) {
  const hostIP = '10.252.0.1';
  const path = `${podPath(timeline)}/status`;
  const body = { status: { hostIP, hostIPs: [{ ip: hostIP }] } };
  const contentType = 'application/strategic-merge-patch+json';
  const sentEpochMs = nowEpochMs();
  const answer = await api.send(path, { method: 'PATCH', body, contentType });
  const writtenEpochMs = nowEpochMs();
  if (answer.status !== 200) throw new Error(`PATCH ${path}: ${answer.status} ${answer.text}`);
  const { atEpochMs: returnedEpochMs } = await launcher.left(timeline, 'PollHostIP');
  return { sentEpochMs, writtenEpochMs, returnedEpochMs };
}

/**
 * Polls as other launchers do. The first look is at a random moment within the first pause.
 *
 * @returns when it saw the address
 */
async function pollEach(pauseMs: number, hasCome: () => Promise<boolean>): Promise<number> {
  await sleep(pauseMs * Math.random());
  while (!(await hasCome())) await sleep(pauseMs);
  return nowEpochMs();
}
