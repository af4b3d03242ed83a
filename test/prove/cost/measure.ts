import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jobsTable, launchesTable, tokensTable } from '../../../adapters/aws/table-definitions.ts';
import { type Config, Profile } from '../../../core/config/config.ts';
import { agentNameOf, ciLaunchId } from '../../../core/launch/names.ts';
import { deliveredJob } from '../../../local/github/github-hook.ts';
import { createGithubWebhooks } from '../../../local/github/github-webhooks.ts';
import type { Counts, LaunchCounts } from '../../../scripts/cost/counts.ts';
import { secretsOf, withGithub } from '../../e2e/joining.ts';
import { readMetrics } from '../../support/emf-lines.ts';
import { untilExecutionEnds } from '../../support/execution-events.ts';
import { asWritten, profileLike } from '../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { type CheckedGithub, startCheckedGithub } from '../ci/github/start-checked-github.ts';
import { until } from '../cluster/until.ts';
import { type CallTally, tallyCalls } from './call-tally.ts';
import { tallyWrites } from './write-units.ts';

const agentSeconds = 30;
/** A thousand launches an hour. */
const everySeconds = 3.6;
const repositoryId = 186_853_002; // of the payload that the local GitHub sends
const firstJobId = 7000;
/** The GitHub where agents are registered, and its organization. */
const ciSystem = 'acme';
const organization = 'acme';
const sweeps = 5;
/** Time for what follows the end: davit publishes the last events. */
const settleMs = 3000;
const longestEndMs = 60_000;

const writtenTables = [
  { TableName: 'davit-launches', ...launchesTable.schema },
  { TableName: 'davit-tokens', ...tokensTable.schema },
  { TableName: 'davit-jobs', ...jobsTable.schema },
];

const agent = fileURLToPath(new URL('../../../local/agent/agent.ts', import.meta.url));
const slow = { agent: { command: ['sh', '-c', `sleep ${agentSeconds}; exec "$0" "$@"`, process.execPath, agent] } };

interface Kind {
  what: string;
  config: (config: Config) => Config;
  secrets?: Record<string, string>;
  /** Runs one job, from its webhook until its launch is over. @returns the launch's id */
  run: (davit: AwsTestRuntime, index: number) => Promise<string>;
}

/**
 * Runs launches of slow agents, and counts their usage. The time is real: simulated waits would change the number of
 * attempts and reads.
 */
export async function measure(launches: number, say: (line: string) => void): Promise<Counts> {
  const plain = await measureKind(connecting, launches, say);
  const github = await startCheckedGithub([organization]);
  const registered = await measureKind(registering(github), launches, say);
  await github.stop();
  const { sweep, metrics } = plain;
  return { launches, agentSeconds, everySeconds, launch: plain.launch, registered: registered.launch, sweep, metrics };
}

async function measureKind({ what, config, secrets, run }: Kind, launches: number, say: (line: string) => void) {
  const invocations = new Map<string, number>();
  const seconds = new Map<string, number>();
  using tally = tallyCalls();
  await using davit = await startAwsTestRuntime({
    changeConfig: config,
    ...(secrets === undefined ? {} : { secrets }),
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

  startOver();
  let transitions = 0;
  let failures = 0;
  davit.runtime.onExecutionEvent(({ type }) => {
    if (type === 'entered' || type === 'failed') transitions += 1;
    if (type === 'failed') failures += 1;
  });
  const logBytes = await growth(davit, async () => {
    const runs = Array.from({ length: launches }, async (_, index) => {
      await sleep(index * everySeconds * 1000);
      say(`${what}: ${await run(davit, index)} is over`);
    });
    await Promise.all(runs);
    await sleep(settleMs);
  });
  const launch: LaunchCounts = {
    recordBytes: writes.largestBytes.get('davit-launches') ?? 0,
    transitions: round(transitions / launches),
    failures: round(failures / launches),
    invocations: shares(invocations, launches),
    seconds: shares(seconds, launches),
    calls: shares(tally.calls, launches),
    writeUnits: shares(writes.units, launches),
    logBytes: Math.round(logBytes / launches),
  };
  return { launch, sweep, metrics: { idle, inUse: await metricsOf(davit) } };
}

/** A launch with a Service, whose job GitHub announces twice: queued and completed. */
const connecting: Kind = {
  what: 'with a Service',
  config: (config) => ({
    ...config,
    profiles: config.profiles.map((profile) => profileLike(profile, profile.name, slow)),
  }),
  run: async (davit, index) => {
    const job = { id: firstJobId + index, labels: ['self-hosted', 'linux', 'x64', 'k8s'] };
    const launchId = launchIdOf(index);
    await davit.github.deliver(job, 'queued');
    await untilConnected(davit, launchId);
    await davit.github.deliver({ ...job, runner: { id: index + 1, name: agentNameOf(launchId) } }, 'completed');
    await untilOver(davit, launchId);
    return launchId;
  },
};

/** A launch without a Service, whose agent is registered at a GitHub, runs its job there, and ends. */
function registering(github: CheckedGithub): Kind {
  const run = async (davit: AwsTestRuntime): Promise<string> => {
    const secret = await davit.runtime.webhookSecret(ciSystem);
    const webhooks = createGithubWebhooks(`${davit.runtime.url}/webhooks/${ciSystem}`, secret);
    const [job] = github.state.queueRun(organization, 'app', [
      { name: 'build', labels: ['linux'], steps: ['sleep 1'] },
    ]);
    const launchId = `${ciSystem}-${github.state.repositoryIdOf(organization, 'app')}-${job.id}-1`;
    await webhooks.deliver(deliveredJob(github, job), 'queued');
    await untilConnected(davit, launchId);
    await until(`job ${job.id} has begun`, longestEndMs, async () => job.status !== 'queued');
    await webhooks.deliver(deliveredJob(github, job), 'in_progress');
    await until(`job ${job.id} is over`, longestEndMs, async () => job.status === 'completed');
    await webhooks.deliver(deliveredJob(github, job), 'completed');
    await untilOver(davit, launchId);
    return launchId;
  };
  return { what: 'registered', config: (config) => withRegistered(config, github), secrets: secretsOf(github), run };
}

/** Makes the profile for registered agents the only one. */
function withRegistered(config: Config, github: CheckedGithub): Config {
  const [first] = config.profiles;
  if (first === undefined) throw new Error('the config has no profile');
  const written = { ...asWritten(profileLike(first, 'registered', slow)), expose: 'none', labels: ['linux'] };
  return { ...withGithub(config, github), profiles: [Profile.parse({ ...written, runner: 'github' })] };
}

async function untilConnected({ runtime }: AwsTestRuntime, launchId: string): Promise<void> {
  const { status } = await untilExecutionEnds(runtime, launchId);
  if (status === 'SUCCEEDED') return;
  const ending = (await runtime.ports.launches.get(launchId))?.ending;
  throw new Error(`${launchId} is ${status}: ${ending?.message}`);
}

async function untilOver({ runtime }: AwsTestRuntime, launchId: string): Promise<void> {
  const { launches } = runtime.ports;
  await until(`${launchId} is over`, longestEndMs, async () => (await launches.get(launchId))?.status === 'terminated');
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
