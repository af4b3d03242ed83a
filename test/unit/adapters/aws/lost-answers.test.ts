import { createDynamoClusterStates } from '../../../../adapters/aws/create-dynamo-cluster-states.ts';
import { createDynamoJobs } from '../../../../adapters/aws/create-dynamo-jobs.ts';
import { createDynamoLaunches, createDynamoRegistrations } from '../../../../adapters/aws/create-dynamo-launches.ts';
import { createDynamoLostJobs } from '../../../../adapters/aws/create-dynamo-lost-jobs.ts';
import { createDynamoTokenPublisher } from '../../../../adapters/aws/create-dynamo-tokens.ts';
import { createDynamoClient } from '../../../../adapters/aws/dynamo-table.ts';
import { clustersTable, jobsTable, launchesTable, tokensTable } from '../../../../adapters/aws/table-definitions.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import type { Launches } from '../../../../ports/launches.ts';
import type { Registrations } from '../../../../ports/registrations.ts';
import type { TokenPublisher } from '../../../../ports/tokens.ts';
import {
  agentOf,
  endingOf,
  epochMs,
  jobRunner,
  joinedPlanOf,
  planOf,
  recordOf,
  signalOf,
} from '../../../contract/launch-fixtures.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import { lostJob } from '../../../support/lost-job.ts';
import { seenJob } from '../../../support/seen-job.ts';
import { startDynamoDb } from '../../../support/start-dynamo-db.ts';
import { startLossyProxy } from '../../../support/start-lossy-proxy.ts';

const database = await startDynamoDb();
const proxy = await startLossyProxy(database.url);
const client = createDynamoClient(localAws(proxy.url));
afterAll(async () => {
  await proxy.stop();
  await database.stop();
});

// The write takes effect, and its answer is lost. The client repeats it and meets the revision of its own first write. The
// transition then finds its effect in place.
describe('a write whose answer was lost', () => {
  let launches: Launches;
  let registrations: Registrations;
  let publisher: TokenPublisher;

  beforeEach(async () => {
    const tables = [await database.createTable(launchesTable), await database.createTable(tokensTable)] as const;
    launches = createDynamoLaunches({ client, tableName: tables[0].tableName });
    registrations = createDynamoRegistrations({ client, tableName: tables[0].tableName });
    publisher = createDynamoTokenPublisher({ client, tableName: tables[1].tableName });
  });

  test('request: the record is in effect, and reported as an earlier one', async () => {
    proxy.loseNextWrite();

    expect(await launches.request(recordOf('job'))).toEqual({ created: false, record: recordOf('job') });
  });

  test('markConnected: the agent may connect', async () => {
    await launches.request(recordOf('job'));
    proxy.loseNextWrite();

    expect(await launches.markConnected(agentOf('job'), epochMs)).toEqual(planOf('job'));
    expect(await launches.get('job')).toMatchObject({ status: 'connected', connectedAtEpochMs: epochMs });
  });

  test('relaunch: the record is returned with this plan, and with the generation before once', async () => {
    const plan = nextGeneration(planOf('job'), epochMs);
    const { agentName } = agentOf('job');
    const ended = { agentName, code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: epochMs };
    await launches.request(recordOf('job'));
    proxy.loseNextWrite();

    const relaunched = await launches.relaunch(plan, ended);

    expect(relaunched).toEqual({ ...recordOf('job'), plan, generations: [ended] });
    expect(await launches.get('job')).toEqual(relaunched);
  });

  test('end: the record is returned with this ending', async () => {
    await launches.request(recordOf('job'));
    proxy.loseNextWrite();

    expect(await launches.end('job', endingOf())).toMatchObject({ status: 'cleaning', ending: endingOf() });
  });

  test('markCleaned: the outcome and the moment are in the record', async () => {
    await launches.request(recordOf('job'));
    await launches.end('job', endingOf());
    proxy.loseNextWrite();

    await launches.markCleaned('job', epochMs);

    expect(await launches.get('job')).toMatchObject({ status: 'failed', cleanedAtEpochMs: epochMs });
  });

  test("claimCleanUp: the claim is in the record, and reported as another caller's", async () => {
    await launches.request(recordOf('job'));
    await launches.end('job', endingOf());
    proxy.loseNextWrite();

    expect(await launches.claimCleanUp('job', epochMs + 1, epochMs)).toBe(false);
    expect(await launches.get('job')).toMatchObject({ cleanUpAskedAtEpochMs: epochMs + 1 });
  });

  test('noteSignal: the signal is the noted one', async () => {
    await launches.request(recordOf('job'));
    proxy.loseNextWrite();

    expect(await launches.noteSignal('job', signalOf())).toEqual(signalOf());
    expect(await launches.get('job')).toMatchObject({ signal: signalOf() });
  });

  test('clearSignal: the signal is gone', async () => {
    await launches.request(recordOf('job'));
    await launches.noteSignal('job', signalOf());
    proxy.loseNextWrite();

    await launches.clearSignal('job', signalOf().sinceEpochMs);

    expect(await launches.get('job')).toEqual(recordOf('job'));
  });

  test('begin: the registration has begun, and is counted once', async () => {
    await launches.request(recordOf('job', { plan: joinedPlanOf('job') }));
    proxy.loseNextWrite();

    const record = await registrations.begin(agentOf('job'), 'nonce', epochMs);

    expect(record?.registration).toEqual({ nonce: 'nonce', begunAtEpochMs: epochMs, count: 1 });
  });

  test('take, complete, bind, retire: each returns the written record', async () => {
    const runner = { id: 7, name: 'davit-0a1b2c3d-job' };
    await launches.request(recordOf('job', { plan: joinedPlanOf('job') }));
    await registrations.begin(agentOf('job'), 'asked', epochMs);

    proxy.loseNextWrite();
    expect(await registrations.take(agentOf('job'), 'asked', 'nonce')).toMatchObject({
      registration: { nonce: 'nonce' },
    });
    proxy.loseNextWrite();
    expect(await registrations.complete(agentOf('job'), 'nonce', runner, epochMs)).toEqual(joinedPlanOf('job'));
    proxy.loseNextWrite();
    expect(await registrations.retire('job', 'surplus', epochMs)).toMatchObject({ retiring: { reason: 'surplus' } });
    proxy.loseNextWrite();
    expect(await registrations.bind('job', jobRunner(7), { jobKey: 'gitea/1/8/1' }, epochMs)).toMatchObject({
      runs: { jobKey: 'gitea/1/8/1' },
    });
  });

  test('note, claimLaunch: the launch is claimed, and counted once', async () => {
    const { tableName } = await database.createTable(jobsTable);
    const jobs = createDynamoJobs({ client, tableName });

    proxy.loseNextWrite();
    expect(await jobs.note(seenJob(), epochMs)).toMatchObject({ launches: 0 });
    proxy.loseNextWrite();
    expect(await jobs.claimLaunch(seenJob(), 0, 'job', epochMs)).toBe(true);
    expect(await jobs.get(seenJob())).toMatchObject({ launches: 1, lastLaunch: { launchId: 'job' } });
  });

  test('claim: the lost job is claimed', async () => {
    const { tableName } = await database.createTable(jobsTable);
    const lost = createDynamoLostJobs({ client, tableName });
    await lost.note(lostJob());
    proxy.loseNextWrite();

    expect(await lost.claim(lostJob(), { by: 'one', atEpochMs: epochMs, untilEpochMs: epochMs + 1000 })).toBe(true);
  });

  test('report: the failure of a cluster is counted once', async () => {
    const { tableName } = await database.createTable(clustersTable);
    const states = createDynamoClusterStates({ client, tableName });
    const failed = { cluster: 'eu-1', kind: 'failed', reason: 'Unreachable', error: 'no answer' } as const;
    proxy.loseNextWrite();

    const state = await states.report({ ...failed, beganAtEpochMs: epochMs, endedAtEpochMs: epochMs + 1 });

    expect(state).toMatchObject({ failures: { count: 1 } });
  });

  test('publish: the launch gets its own token', async () => {
    const token = {
      agentName: 'davit-job',
      launchId: 'job',
      host: '10.0.0.7',
      port: 30_001,
      tls: false,
      publishedAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-01T01:00:00.000Z',
    };
    proxy.loseNextWrite();

    expect(await publisher.publish({ token, credentialId: 'first' })).toEqual({ token, credentialId: 'first' });
  });
});
