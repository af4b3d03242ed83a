import { createDynamoClusterStates } from '../../adapters/aws/create-dynamo-cluster-states.ts';
import { createDynamoJobs } from '../../adapters/aws/create-dynamo-jobs.ts';
import { createDynamoLaunches, createDynamoRegistrations } from '../../adapters/aws/create-dynamo-launches.ts';
import { createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import { clustersTable, jobsTable, launchesTable } from '../../adapters/aws/table-definitions.ts';
import type { Written } from '../../core/trace/written.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { sqliteJobs } from '../../local/store/sqlite-jobs.ts';
import { sqliteLaunches } from '../../local/store/sqlite-launches.ts';
import { sqliteSlots } from '../../local/store/sqlite-slots.ts';
import { registrationsIn } from '../../logic/records/registrations-in.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { Slots } from '../../ports/slots.ts';
import type { Trace } from '../../ports/trace.ts';
import { verifyTrace } from '../../verify/trace/verify-trace.ts';
import { jobIdOf, queuedAtEpochMs, seenJob } from '../support/seen-job.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { agentOf, endingOf, epochMs, jobRunner, joinedPlanOf, recordOf } from './launch-fixtures.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

/** The tables whose writes are traced. */
interface TracedTables {
  launches: Launches;
  registrations: Registrations;
  jobs: Jobs;
  slots: Slots;
  clusterStates: ClusterStates;
}

const launchId = 'gitea-7-8-1';
const limit = { key: 'profile/linux', of: 'linux', maxAgents: 1 };
const slot = { launchId, repository: 'acme/app', takenAtEpochMs: epochMs };

/** Everything that davit writes of one job, some of it twice. */
async function writeAll({ launches, registrations, jobs, slots, clusterStates }: TracedTables): Promise<void> {
  const job = jobIdOf(seenJob());
  const jobKey = 'gitea/7/8/1';
  const holder = `${launchId}/attempt`;
  const plan = joinedPlanOf(launchId, { jobKey, slots: { attempt: 'attempt', limits: [limit.key] } });
  const runner = { id: 7, name: 'runner' };
  for (let time = 1; time <= 2; time += 1) {
    await jobs.note(seenJob(), queuedAtEpochMs);
    await jobs.noteLimited(job, 0, limit.key, 'its turn has not come');
    await jobs.noteNotLaunched(job, 'its cluster is away');
  }
  await slots.take(limit, holder, slot);
  await slots.take(limit, 'other/attempt', slot);
  for (let time = 1; time <= 2; time += 1) {
    await jobs.claimLaunch(job, 0, launchId, epochMs);
    await launches.request(recordOf(launchId, { plan }));
    await registrations.begin(agentOf(launchId), 'a', epochMs + 1);
    await registrations.take(agentOf(launchId), 'a', 'b');
    await registrations.complete(agentOf(launchId), 'b', runner, epochMs + 2);
    await registrations.bind(launchId, jobRunner(7), { jobKey }, epochMs + 3);
    await jobs.noteRanBy(job, launchId);
    await launches.end(launchId, endingOf({ by: 'gitea workflow_job completed (success)' }));
    await launches.markCleaned(launchId, epochMs + 4);
    await slots.free(limit.key, holder);
    await clusterStates.report({ cluster: 'east', kind: 'answered', endedAtEpochMs: epochMs });
  }
}

/** What a trace says of who wrote what. */
function commandOf(written: Written): string {
  return `${written.kind} ${written.command}`;
}

describe.each([
  ['SQLite', inSqlite],
  ['DynamoDB', inDynamoDb],
])('traces (%s)', (_name, open) => {
  test('each write is traced once, with the next revision, and what writes nothing is not', async () => {
    const trace: Written[] = [];
    await writeAll(await open((written) => trace.push(written)));

    const lines = trace.map((written, index) => ({ line: index + 1, atEpochMs: epochMs + index, written }));
    expect(verifyTrace(lines, { isAtRest: true })).toMatchObject({ missing: 0, findings: [] });
    expect(trace.map(commandOf)).toEqual([
      'job note',
      'job noteLimited',
      'job noteNotLaunched',
      'job noteLimited',
      'job noteNotLaunched',
      'limit take',
      'job claimLaunch',
      'launch request',
      'launch begin',
      'launch take',
      'launch complete',
      'launch bind',
      'job noteRanBy',
      'launch end',
      'launch markCleaned',
      'limit free',
      'cluster answered',
    ]);
    const jobs = trace.flatMap((written) => (written.kind === 'job' ? [written.revision] : []));
    expect(jobs.map((revision) => revision - (jobs[0] ?? 0))).toEqual(jobs.map((_, index) => index));
  });

  test('a trace has no nonce, and no text of a caller', async () => {
    const trace: Written[] = [];
    const { launches, registrations } = await open((written) => trace.push(written));

    const nonce = '6f1c2f0e-nonce';
    const plan = joinedPlanOf(launchId);
    await launches.request(recordOf(launchId, { plan, env: { TOKEN: 'secret-text' } }));
    await registrations.begin(agentOf(launchId), nonce, epochMs + 1);

    expect(trace).toHaveLength(2);
    expect(JSON.stringify(trace)).not.toMatch(/secret-text|6f1c2f0e/);
  });
});

async function inSqlite(trace: Trace): Promise<TracedTables> {
  const store = openStore(':memory:');
  const launches = sqliteLaunches(store, trace);
  return {
    launches,
    registrations: registrationsIn(launches.records),
    jobs: sqliteJobs(store, trace),
    slots: sqliteSlots(store, trace),
    clusterStates: sqliteClusterStates(store, trace),
  };
}

async function inDynamoDb(trace: Trace): Promise<TracedTables> {
  const launches = await database.createTable(launchesTable);
  const jobs = await database.createTable(jobsTable);
  return {
    launches: createDynamoLaunches(launches, trace),
    registrations: createDynamoRegistrations(launches, trace),
    jobs: createDynamoJobs(jobs, trace),
    slots: createDynamoSlots(jobs, trace),
    clusterStates: createDynamoClusterStates(await database.createTable(clustersTable), trace),
  };
}
