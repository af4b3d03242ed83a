import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import { errorCodes } from '../../../../core/errors/error-codes.ts';
import { DavitError } from '../../../../core/errors/errors.ts';
import type { OpenCluster } from '../../../../ports/cluster.ts';
import { type SandboxCluster, startSandboxCluster } from '../../../../sandbox/sandbox-cluster.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { fixedSecrets } from '../../../support/fixed-secrets.ts';
import { podRows } from './taxonomy/pod-rows.ts';
import type { Row } from './taxonomy/row.ts';
import { serviceRows } from './taxonomy/service-rows.ts';
import { type StepName, TaxonomyLaunch } from './taxonomy/taxonomy-launch.ts';

const rows = [...serviceRows, ...podRows];

/**
 * The codes that the cluster does not cause in a step that creates or looks, by their cause: each has its own tests.
 */
const saidElsewhere = {
  theAgent: ['AgentExited', 'AgentLifetimeExceeded'],
  theCleanUpAndTheSweep: ['RemovalPending', 'LaunchExpired'],
  davitsTablesAndSecrets: [
    'StoreUnavailable',
    'PublishDeadlineExceeded',
    'TokenConflict',
    'SecretMissing',
    'KubeconfigInvalid',
    'ProfileUnknown',
  ],
  eks: ['EksAccessDenied', 'EksClusterMissing'],
  whoLeavesTheCluster: ['ClusterAway', 'ClusterFull', 'ClusterRefused'],
  theCiSystem: ['CiRefused', 'CiUnavailable', 'RunnerBusy'],
  theStateMachine: ['InputInvalid', 'ExecutionEnded', 'ObserverFailed', 'Unexpected'],
  whoEndsLaunches: ['LaunchOver', 'Terminated'],
};

const byText = (one: string, other: string) => one.localeCompare(other);

let sandbox: SandboxCluster;
let openCluster: OpenCluster;
let stateDirectory: string;
beforeAll(async () => {
  stateDirectory = await mkdtemp(join(tmpdir(), 'davit-taxonomy-'));
  // No Pod ever starts: each row sets the status that a kubelet would report.
  const behaviour = { startDelayMs: 2 ** 31 - 1, hostIPDelayMs: 0 };
  sandbox = await startSandboxCluster({
    namespace: 'davit-agents',
    node: { stateDirectory, images: {}, behaviour, nowEpochMs: Date.now },
  });
  const clusters = [{ name: 'sandbox', kubeconfigSecret: 'kubeconfig' }];
  const patience = { callMs: 5000, silenceMs: 10_000, pauseMs: 1 };
  openCluster = openClusters(clusters, byKubeconfig(fixedSecrets(sandbox.kubeconfig)), patience);
});
afterAll(async () => {
  await sandbox.stop();
  await rm(stateDirectory, { recursive: true, force: true });
});
afterEach(() => {
  sandbox.faults.clear();
  for (const { metadata } of sandbox.store.list('services', 'davit-agents')) {
    sandbox.store.delete('services', 'davit-agents', metadata.name);
  }
});

/** The result of an attempt: `done`, or an error's code, with its message. */
async function outcomeOf(launch: TaxonomyLaunch, step: StepName): Promise<{ code: string; detail: string }> {
  try {
    await launch.attempt(step);
    return { code: 'done', detail: '' };
  } catch (error) {
    if (!(error instanceof DavitError)) throw error;
    return { code: error.code, detail: error.message };
  }
}

test.each(rows.map((row, index) => ({ ...row, index })))(
  '$step, $signal: $first',
  async ({ index, ...row }: Row & { index: number }) => {
    const { step, given, first, later, detail = /^/, notes } = row;
    const launch = new TaxonomyLaunch(sandbox, openCluster, index, row);
    await launch.comeTo(step);
    await given(launch);

    let outcome = await outcomeOf(launch, step);
    expect(outcome).toMatchObject({ code: first });
    if (later !== undefined) {
      launch.deps.clock.advance(later.afterSeconds * 1000);
      outcome = await outcomeOf(launch, step);
      expect(outcome).toMatchObject({ code: later.code });
    }

    expect(outcome.detail).toMatch(detail);
    expect((await launch.deps.launches.get(launch.plan.launchId))?.signal?.code).toBe(notes);
  },
);

describe('the codes', () => {
  const reached = new Set(rows.flatMap(({ first, later }) => [first, later?.code ?? first]));

  test('that a row leads to are all in the table, except those of steps that continue', () => {
    expect([...reached].filter((code) => code !== 'done' && !Object.hasOwn(errorCodes, code))).toEqual([]);
  });

  test('in the table are each reached by a row, or come from somewhere other than the cluster', () => {
    const led = [...reached, ...Object.values(saidElsewhere).flat()].filter((code) => code !== 'done');

    expect(led.toSorted(byText)).toEqual(Object.keys(errorCodes).toSorted(byText));
  });
});
