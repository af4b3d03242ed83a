import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launchesTable, tokensTable } from '../../../adapters/aws/table-definitions.ts';
import { agentNameOf, ciLaunchId } from '../../../core/launch/names.ts';
import type { Counts } from '../../../scripts/cost/counts.ts';
import { readMetrics } from '../../support/emf-lines.ts';
import { untilExecutionEnds } from '../../support/execution-events.ts';
import { profileLike } from '../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { until } from '../cluster/until.ts';
import { type CallTally, tallyCalls } from './call-tally.ts';
import { tallyWrites } from './write-units.ts';

const agentSeconds = 30;
/** A thousand launches an hour. */
const everySeconds = 3.6;
const repositoryId = 186_853_002; // of the payload that the local GitHub sends
const firstJobId = 7000;
const sweeps = 5;
/** Time for what follows the end: davit publishes the last events. */
const settleMs = 3000;
const longestEndMs = 60_000;

/** The published tables that a launch writes. */
const writtenTables = [
  { TableName: 'davit-launches', ...launchesTable.schema },
  { TableName: 'davit-tokens', ...tokensTable.schema },
];

const agent = fileURLToPath(new URL('../../../local/agent/agent.ts', import.meta.url));
const slow = { agent: { command: ['sh', '-c', `sleep ${agentSeconds}; exec "$0" "$@"`, process.execPath, agent] } };

/**
 * Runs launches of slow agents, and counts their usage. The time is real: simulated waits would change the number of
 * attempts and reads.
 */
export async function measure(launches: number, say: (line: string) => void): Promise<Counts> {
  const invocations = new Map<string, number>();
  const seconds = new Map<string, number>();
  using tally = tallyCalls();
  await using davit = await startAwsTestRuntime({
    changeConfig: (config) => ({
      ...config,
      profiles: config.profiles.map((profile) => profileLike(profile, profile.name, slow)),
    }),
    sweepIntervalMs: 24 * 3600 * 1000, // from here on calls are counted
    onInvoked: (name, durationMs) => {
      add(invocations, name, 1);
      add(seconds, name, durationMs / 1000);
    },
  });
  using writes = tallyWrites(davit.runtime.dynamoDb, writtenTables);
  const startOver = () =>
    [invocations, seconds, tally, writes].forEach((counted) =>
      'reset' in counted ? counted.reset() : counted.clear(),
    );

  startOver();
  const sweep = await measureSweeps(davit, tally, seconds);
  const idle = await metricsOf(davit);
  say(`swept ${sweeps} times`);

  startOver();
  let transitions = 0;
  let failures = 0;
  davit.runtime.onExecutionEvent(({ type }) => {
    if (type === 'entered' || type === 'failed') transitions += 1;
    if (type === 'failed') failures += 1;
  });
  const logBytes = await growth(davit, async () => {
    await Promise.all(Array.from({ length: launches }, (_, index) => runJob(davit, index, say)));
    await sleep(settleMs);
  });
  return {
    launches,
    agentSeconds,
    everySeconds,
    recordBytes: writes.largestBytes.get('davit-launches') ?? 0,
    launch: {
      transitions: round(transitions / launches),
      failures: round(failures / launches),
      invocations: shares(invocations, launches),
      seconds: shares(seconds, launches),
      calls: shares(tally.calls, launches),
      writeUnits: shares(writes.units, launches),
      logBytes: Math.round(logBytes / launches),
    },
    sweep,
    metrics: { idle, inUse: await metricsOf(davit) },
  };
}

/** GitHub announces each job twice: queued and completed. */
async function runJob({ github, runtime }: AwsTestRuntime, index: number, say: (line: string) => void): Promise<void> {
  await sleep(index * everySeconds * 1000);
  const job = { id: firstJobId + index, labels: ['self-hosted', 'linux', 'x64', 'k8s'] };
  const launchId = launchIdOf(index);
  await github.deliver(job, 'queued');
  const { status } = await untilExecutionEnds(runtime, launchId);
  if (status !== 'SUCCEEDED') {
    const ending = (await runtime.ports.launches.get(launchId))?.ending;
    throw new Error(`${launchId} is ${status}: ${ending?.message}`);
  }
  await github.deliver({ ...job, runner: { id: index + 1, name: agentNameOf(launchId) } }, 'completed');
  const { launches } = runtime.ports;
  await until(`${launchId} is over`, longestEndMs, async () => (await launches.get(launchId))?.status === 'terminated');
  say(`${launchId} is over`);
}

function launchIdOf(index: number): string {
  return ciLaunchId({ ciSystem: 'github', repositoryId, jobId: firstJobId + index, attempt: 1 });
}

async function measureSweeps(davit: AwsTestRuntime, tally: CallTally, seconds: ReadonlyMap<string, number>) {
  const logBytes = await growth(davit, async () => {
    for (let sweep = 0; sweep < sweeps; sweep++) await davit.runtime.invoke('sweep', {});
    await sleep(settleMs);
  });
  return {
    seconds: round((seconds.get('sweep') ?? 0) / sweeps),
    calls: shares(tally.calls, sweeps),
    logBytes: Math.round(logBytes / sweeps),
  };
}

/** The growth of the logs during an action, in bytes. */
async function growth({ stateDirectory }: AwsTestRuntime, work: () => Promise<void>): Promise<number> {
  const folder = join(stateDirectory, 'logs');
  const bytes = async () => {
    const files = await Promise.all((await readdir(folder)).map((file) => stat(join(folder, file))));
    return files.reduce((sum, { size }) => sum + size, 0);
  };
  const before = await bytes();
  await work();
  return (await bytes()) - before;
}

/** Each metric with each of its sets of dimensions: CloudWatch charges for each separately. */
async function metricsOf({ stateDirectory }: AwsTestRuntime): Promise<number> {
  const points = (await readMetrics(stateDirectory)).filter(({ isCharged }) => isCharged);
  return new Set(points.flatMap(({ name, dimensions }) => dimensions.map((set) => JSON.stringify([name, set])))).size;
}

function add(map: Map<string, number>, key: string, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}

function shares(map: ReadonlyMap<string, number>, of: number): Record<string, number> {
  const sorted = [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [key, round(value / of)]));
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
