import type { ClusterReport } from '../../../../core/cluster/cluster-state.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { createClusterReporter } from '../../../../logic/cluster-reports/cluster-reporter.ts';
import { epochMs } from '../../../contract/launch-fixtures.ts';
import { TestClock } from '../../../support/test-clock.ts';

const cluster = 'eu-1';

function makeReporter() {
  const clock = new TestClock(epochMs);
  const states = sqliteClusterStates(openStore(':memory:'));
  const reports: ClusterReport[] = [];
  const warnings: string[] = [];
  let trouble: Error | undefined;
  const { succeeded, failed } = createClusterReporter({
    clusterStates: {
      report: async (report) => {
        reports.push(report);
        if (trouble !== undefined) throw trouble;
        return states.report(report);
      },
    },
    log: { warn: (message) => void warnings.push(message) },
    nowEpochMs: clock.nowEpochMs,
  });
  const fail = (at = clock.nowEpochMs()) =>
    failed({ cluster }, { reason: 'Unreachable', error: 'connect ECONNREFUSED', beganAtEpochMs: at });
  const failIn = (namespace: string) =>
    failed(
      { cluster, namespace },
      { reason: 'AdmissionUnavailable', error: 'failed calling webhook', beganAtEpochMs: clock.nowEpochMs() },
    );
  return { failIn, clock, states, reports, warnings, succeeded, fail, failWith: (error: Error) => (trouble = error) };
}

async function disconnect({ clock, fail }: ReturnType<typeof makeReporter>): Promise<void> {
  for (const pauseMs of [0, 3000, 3000]) {
    clock.advance(pauseMs);
    await fail();
  }
}

test('a process that has seen no failure reports no success', async () => {
  const { reports, succeeded } = makeReporter();

  await succeeded(cluster);
  await succeeded(cluster);

  expect(reports).toEqual([]);
});

test('a failure and the success that ends it are reported at once, and later successes are not', async () => {
  const { reports, succeeded, fail } = makeReporter();

  await fail();
  await succeeded(cluster);
  await succeeded(cluster);

  expect(reports.map(({ kind }) => kind)).toEqual(['failed', 'answered']);
});

test('failures of a disconnected cluster are reported every 10 s, with the count in between', async () => {
  const reporter = makeReporter();
  await disconnect(reporter);

  for (const pauseMs of [4000, 4000, 2000]) {
    reporter.clock.advance(pauseMs);
    await reporter.fail();
  }

  expect(reporter.reports).toHaveLength(4);
  expect(await reporter.states.get(cluster)).toMatchObject({ connected: false, failures: { count: 6 } });
});

test('answers of a disconnected cluster are reported every 10 s', async () => {
  const reporter = makeReporter();
  await disconnect(reporter);

  await reporter.succeeded(cluster);
  reporter.clock.advance(10_000);
  await reporter.succeeded(cluster);
  await reporter.succeeded(cluster);

  expect(reporter.reports.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'failed', 'answered']);
});

test("a namespace's failures are counted apart from its cluster's", async () => {
  const { clock, reports, states, succeeded, failIn } = makeReporter();

  for (const pauseMs of [0, 3000, 3000, 4000]) {
    clock.advance(pauseMs);
    await failIn('agents');
    await succeeded(cluster);
  }
  await failIn('builders');

  const { connected, namespaces } = (await states.get(cluster)) ?? {};
  expect(connected).toBe('unknown');
  expect(namespaces).toMatchObject([
    { namespace: 'agents', connected: false, failures: { count: 3 } },
    { namespace: 'builders', connected: 'unknown', failures: { count: 1 } },
  ]);
  expect(reports.map(({ kind }) => kind)).toEqual(['namespace', 'namespace', 'namespace', 'namespace']);
});

test('a report that cannot be stored is logged, and fails no call', async () => {
  const { warnings, fail, failWith } = makeReporter();
  failWith(new TransientError('StoreUnavailable', 'throttled'));

  await fail();

  expect(warnings).toEqual(['the state of cluster eu-1 was not reported']);
});

test('a defect is not hidden', async () => {
  const { fail, failWith } = makeReporter();
  failWith(new TypeError('undefined is not a function'));

  await expect(fail()).rejects.toThrow(TypeError);
});
