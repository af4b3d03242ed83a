import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import { DavitError, RelaunchError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { relaunch } from '../../../../functions/relaunch/relaunch.ts';
import type { OpenCluster } from '../../../../ports/cluster.ts';
import { type SandboxCluster, startSandboxCluster } from '../../../../sandbox/sandbox-cluster.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { fixedSecrets } from '../../../support/fixed-secrets.ts';
import { podRows } from '../../../unit/core/pod/taxonomy/pod-rows.ts';
import type { Row } from '../../../unit/core/pod/taxonomy/row.ts';
import { serviceRows } from '../../../unit/core/pod/taxonomy/service-rows.ts';
import { TaxonomyLaunch } from '../../../unit/core/pod/taxonomy/taxonomy-launch.ts';
import { type ShownFailure, told } from './shown-failure.ts';

const infrastructure: ReadonlySet<string> = new Set(['PodPreempted', 'PodEvicted', 'NodeLost', 'DeletedExternally']);

/** The end of the log of an agent that started. */
const logs: Readonly<Record<string, string>> = {
  ContainerTerminated: 'runner 2.330.0\ncannot start: no space left on device: /work\n',
  InitContainerFailed: 'fetching https://cache.example/tools.tar.gz\ncurl: (6) Could not resolve host: cache.example\n',
  OutOfMemory: 'runner 2.330.0\nlistening for jobs\nrestoring the cache: 212 MiB\n',
  PodSucceeded: 'runner 2.330.0\nnothing to do\n',
  ConnectDeadlineExceeded: 'runner 2.330.0\ncurl: (28) Failed to connect to davit.example port 443: timed out\n',
};

/**
 * Runs a launch into each row of the taxonomy, on the sandbox cluster and by davit's own steps, and returns the records
 * that davit writes: of the launch that waits, once for each kind of wait, and of the launch that failed.
 */
export async function taxonomyFailures(): Promise<ShownFailure[]> {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'davit-failures-'));
  const behaviour = { startDelayMs: 2 ** 31 - 1, hostIPDelayMs: 0 };
  const node = { stateDirectory: temporary.path, images: {}, behaviour, nowEpochMs: Date.now };
  await using sandbox = await startSandboxCluster({ namespace: 'davit-agents', node });
  const patience = { callMs: 5000, silenceMs: 10_000, pauseMs: 1 };
  const clusters = [{ name: 'sandbox', kubeconfigSecret: 'kubeconfig' }];
  const openCluster = openClusters(clusters, byKubeconfig(fixedSecrets(sandbox.kubeconfig)), patience);
  const shown: ShownFailure[] = [];
  for (const [index, row] of [...serviceRows, ...podRows].entries()) {
    if (row.first !== 'done') shown.push(...(await recordsOf(sandbox, openCluster, row, index)));
    sandbox.faults.clear();
    for (const { metadata } of sandbox.store.list('services', 'davit-agents')) {
      sandbox.store.delete('services', 'davit-agents', metadata.name);
    }
  }
  return onceEachWait(shown);
}

/** Runs one row. A wait comes first, and then its end. */
async function recordsOf(
  sandbox: SandboxCluster,
  openCluster: OpenCluster,
  row: Row,
  index: number,
): Promise<ShownFailure[]> {
  const launch = new TaxonomyLaunch(sandbox, openCluster, index, row);
  const { deps, plan } = launch;
  const sheet = sheetOf(row);
  const present = async () => {
    const record = await deps.launches.get(plan.launchId);
    if (record === undefined) throw new Error(`${row.signal}: there is no record`);
    return told(record, index, deps.nowEpochMs());
  };
  await launch.comeTo(row.step);
  await row.given(launch);
  const first = await errorOf(launch, row);
  const shown: ShownFailure[] = [];
  let last = first;
  if (first.name === 'PendingError' || first.name === 'TransientError' || first.name === 'ClusterAwayError') {
    shown.push({ sheet, caption: `${row.signal}: davit waits`, record: await present() });
    if (row.later === undefined) return shown;
    deps.clock.advance(row.later.afterSeconds * 1000);
    last = await errorOf(launch, row);
  }
  sandbox.faults.clear();
  await fail(launch, last);
  shown.push({ sheet, caption: row.signal, record: ended(await present()) });
  return shown;
}

async function errorOf(launch: TaxonomyLaunch, { step, signal }: Row): Promise<DavitError> {
  try {
    await launch.attempt(step);
  } catch (error) {
    if (error instanceof DavitError) return error;
    throw error;
  }
  throw new Error(`${signal}: ${step} is done`);
}

/** Ends the launch as the state machine does: by a relaunch, as far as one is left, and by the clean-up. */
async function fail({ deps, plan }: TaxonomyLaunch, error: DavitError): Promise<void> {
  let last = error;
  if (error instanceof RelaunchError) {
    const again = { ...plan, maxRelaunches: 0, failure: failureOf(error) };
    last = await relaunch(deps, again).then(
      () => error,
      (refusal: unknown) => {
        if (refusal instanceof DavitError) return refusal;
        throw refusal;
      },
    );
  }
  try {
    await cleanUp(deps, { ...plan, failure: failureOf(last) });
  } catch (pending) {
    // Its Pod takes its time: the picture is of the launch when it is gone.
    if (!(pending instanceof DavitError && pending.code === 'RemovalPending')) throw pending;
  }
}

function ended(record: LaunchRecord): LaunchRecord {
  const { ending, diagnostics } = record;
  if (ending === undefined) throw new Error(`${record.launchId} has not ended`);
  const text = logs[ending.code];
  const { atEpochMs } = ending;
  const container = ending.code === 'InitContainerFailed' ? 'fetch' : 'agent';
  const log = text === undefined ? undefined : { container, text };
  return {
    ...record,
    status: 'failed',
    cleanedAtEpochMs: atEpochMs + 1200,
    diagnostics: { atEpochMs, events: [], ...diagnostics, unread: [], ...(log && { log }) },
  };
}

function sheetOf({ step, first, later }: Row): ShownFailure['sheet'] {
  const code = later?.code ?? first;
  if (infrastructure.has(code)) return 'infrastructure';
  if (step === 'CreateService' || step === 'PollNodePort' || step === 'CreatePod') return 'service';
  return code.endsWith('DeadlineExceeded') || code === 'HostAddressMissing' ? 'placement' : 'containers';
}

/** One picture for all waits that have the same words on their page. */
function onceEachWait(shown: readonly ShownFailure[]): ShownFailure[] {
  const seen = new Set<string>();
  return shown.filter(({ record: { status, signal, podState } }) => {
    if (status !== 'launching') return true;
    const key = signal?.code ?? podState?.detail ?? '';
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
