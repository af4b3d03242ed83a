import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openClusters } from '../../../functions/adapters/kubernetes/open-clusters.ts';
import { errorCodes } from '../../../functions/domain/error-codes.ts';
import { DavitError } from '../../../functions/domain/errors.ts';
import type { OpenCluster } from '../../../functions/ports/cluster.ts';
import { type SandboxCluster, startSandboxCluster } from '../../../sandbox/sandbox-cluster.ts';
import { byKubeconfig } from '../../support/by-kubeconfig.ts';
import { fixedSecrets } from '../../support/fixed-secrets.ts';
import { podRows } from './taxonomy/pod-rows.ts';
import type { Row, StepName } from './taxonomy/row.ts';
import { serviceRows } from './taxonomy/service-rows.ts';
import { TaxonomyLaunch } from './taxonomy/taxonomy-launch.ts';

const rows = [...serviceRows, ...podRows];

/** What is not said by the cluster to a step that creates or looks, by who says it: each has tests of its own. */
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
  // No Pod is ever started: what a kubelet would say of it is the row's to say.
  const behaviour = { startDelayMs: 2 ** 31 - 1, hostIPDelayMs: 0 };
  sandbox = await startSandboxCluster({
    namespace: 'davit-agents',
    node: { stateDirectory, images: {}, behaviour, nowEpochMs: Date.now },
  });
  const clusters = [{ name: 'sandbox', kubeconfigSecret: 'kubeconfig' }];
  const patience = { callMs: 500, silenceMs: 10_000, pauseMs: 1 };
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

/** What an attempt comes to: `done`, or an error's code, with its message. */
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

  test('that a row leads to are all in the table, but for those of steps that go on', () => {
    expect([...reached].filter((code) => code !== 'done' && !Object.hasOwn(errorCodes, code))).toEqual([]);
  });

  test('in the table are each led to by a row, or said by something else than the cluster', () => {
    const led = [...reached, ...Object.values(saidElsewhere).flat()].filter((code) => code !== 'done');

    expect(led.toSorted(byText)).toEqual(Object.keys(errorCodes).toSorted(byText));
  });
});
