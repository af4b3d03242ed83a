import { startIdleRunners, startPoller } from '../../ci/queue/other-agents.ts';
import { startQueueWaits } from '../../ci/queue/waits.ts';
import { contenders, type LocalMeasure } from '../bench.ts';
import { atMost, type Figure, type Goal, median, p99Of } from '../figure.ts';
import { type Size, turnsOf } from '../size.ts';
import { type QueueDavit, startQueueDavit, untilIdle } from '../start-queue-davit.ts';
import { summarise } from '../statistics.ts';

const idleRunners = 10;
const warmAgents = 3;
const pollEveryMs = 3000;
const goalMs = 1500;
/** The limit of a warm agent's extra delay compared with a registered runner. */
const warmGoalMs = 300;

/** A way to run the jobs, and how long they waited. */
interface Contender {
  name: string;
  organization: string;
  hearsWebhooks: boolean;
  /** The number of idle agents before the first job. @default none */
  warm?: number;
  start?: (queue: QueueDavit, organization: string) => AsyncDisposable;
  oneMs: number[];
  manyMs: number[];
  /** The time until Gitea announced the single job. */
  toldMs: number[];
}

const noWaits = () => ({ oneMs: [], manyMs: [], toldMs: [] });

/** How long a job of a real Gitea waits for its agent. */
export const queue: LocalMeasure = {
  takeLocally: async ({ size, say }) => {
    const all: Contender[] = [
      {
        name: `${idleRunners} runners, registered and idle`,
        organization: 'idle',
        hearsWebhooks: false,
        start: ({ gitea }, organization) => startIdleRunners(gitea, organization, idleRunners),
        ...noWaits(),
      },
      {
        name: `a poller each ${pollEveryMs / 1000} s, without a cluster`,
        organization: 'polled',
        hearsWebhooks: false,
        start: ({ gitea }, organization) => startPoller(gitea, organization, pollEveryMs),
        ...noWaits(),
      },
      { name: contenders.davit, organization: 'davit', hearsWebhooks: true, ...noWaits() },
      {
        name: `${contenders.davit}, ${warmAgents} warm agents`,
        organization: 'warm',
        hearsWebhooks: true,
        warm: warmAgents,
        ...noWaits(),
      },
    ];
    await measureAll(
      all.filter(({ warm }) => warm === undefined),
      size,
      say,
    );
    // Idle agents would slow down the other contenders.
    for (const contender of all.filter(({ warm }) => warm !== undefined)) await measureAll([contender], size, say);
    const figuresOf = (name: string, of: 'oneMs' | 'manyMs', goal: Goal, note: string): Figure[] => [
      {
        name: `queue: ${name}, p50`,
        unit: 'ms',
        contenders: all.map((each) => median(each.name, summarise(each[of]))),
        goal,
        note,
      },
      { name: `queue: ${name}, p99`, unit: 'ms', contenders: all.map((each) => p99Of(each.name, each[of])) },
    ];
    const [idle = 0, , own = 0, warm = 0] = all.map(({ oneMs }) => summarise(oneMs).p50);
    const [, polledMany = 0, ownMany = 0] = all.map(({ manyMs }) => summarise(manyMs).p50);
    const toldMs = Math.round(summarise(all.flatMap((each) => each.toldMs)).p50);
    return [
      ...figuresOf(
        'one job at a time, until it runs',
        'oneMs',
        atMost(own, goalMs, 'measurement', ' ms'),
        `from the answer to the commit until Gitea's webhook says in_progress. Of all of them alike, up to ${toldMs} ms are Gitea's, until its webhook says queued. davit's agent is launched for the job`,
      ),
      {
        name: 'queue: one job at a time, how much later than on a registered runner it runs on a warm agent, p50',
        unit: 'ms',
        contenders: [
          { name: contenders.davit, value: Math.round(warm - idle), samples: all.at(-1)?.oneMs.length ?? 0 },
        ],
        goal: atMost(warm - idle, warmGoalMs, 'measurement', ' ms'),
      },
      ...figuresOf(
        `${size.queuedAtOnce} jobs at once, until each runs`,
        'manyMs',
        atMost(ownMany / polledMany, 1, 'measurement', ' ×'),
        `by Gitea's own record, to the second: its webhooks tell of a start after all ${size.queuedAtOnce} that say queued. All agents and runners are processes of this machine, and so is the sandbox: the poller starts runners and nothing else`,
      ),
    ];
  },
};

type QueueSize = Pick<Size, 'queued' | 'queuedAtOnce'>;

/** Measures contenders on a separate Gitea. */
async function measureAll(all: readonly Contender[], size: QueueSize, say: (text: string) => void): Promise<void> {
  const [{ warm: agents, organization } = { organization: '' }] = all;
  const warm = agents === undefined ? undefined : { agents, organizations: [organization] };
  await using local = await startQueueDavit(warm);
  for (const contender of all) await measure(local, contender, size, say);
}

async function measure(
  local: QueueDavit,
  { name, organization, hearsWebhooks, warm, start, oneMs, manyMs, toldMs }: Contender,
  size: QueueSize,
  say: (text: string) => void,
): Promise<void> {
  const { client, webhookSecret, webhookUrl } = local;
  await using waits = await startQueueWaits({
    client,
    organization,
    webhookSecret,
    webhookUrl: hearsWebhooks ? webhookUrl : undefined,
  });
  await using agents = new AsyncDisposableStack();
  agents.use(start?.(local, organization));
  if (warm !== undefined) await untilIdle(local, warm);
  // The first job loads and compiles code.
  await waits.queue(1);
  for (const turn of turnsOf(size.queued)) {
    const { untilToldMs, untilRunningMs } = await waits.queue(1);
    toldMs.push(untilToldMs);
    oneMs.push(...untilRunningMs);
    if (turn % 10 === 0) say(`queue: ${name}: ${turn} jobs, one at a time`);
  }
  manyMs.push(...(await waits.queue(size.queuedAtOnce)).untilStartedMs);
  say(`queue: ${name}: ${size.queuedAtOnce} jobs at once`);
}
