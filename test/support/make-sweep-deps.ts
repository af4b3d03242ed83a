import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { labelsOf } from '../../core/launch/names.ts';
import { PodView, ServiceView } from '../../core/pod/kubernetes-objects.ts';
import { SweepInput, sweep } from '../../functions/sweep/sweep.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { type SweepLimits, sweepLimits } from '../../functions/sweep/sweep-run.ts';
import { endingOf, epochMs, planOf, recordOf } from '../contract/launch-fixtures.ts';
import { FakeExecutions } from './fake-executions.ts';
import { type FakeInvokeLater, fakeInvokeLater } from './fake-invoke-later.ts';
import { makeTestDeps, type TestDeps } from './make-test-deps.ts';

/** A sweep's dependencies, in memory: no launches, objects or executions, at 2026-01-01T00:00:00Z. */
export interface TestSweepDeps extends TestDeps {
  executions: FakeExecutions;
  invokeLater: FakeInvokeLater;
  limits: SweepLimits;
}

/** Makes a test's own dependencies. */
export function makeSweepDeps(overrides: Partial<TestSweepDeps> = {}): TestSweepDeps {
  return {
    ...makeTestDeps(),
    executions: new FakeExecutions(),
    invokeLater: fakeInvokeLater(),
    limits: sweepLimits,
    ...overrides,
  };
}

/** The unusual properties of an object that a test puts into the cluster. */
export interface StrayObject {
  launchId: string;
  /** @default the name of the launch's first agent */
  name?: string;
  /** @default the labels that davit gives the launch's objects */
  labels?: Record<string, string>;
  /** The object's age. @default 0 */
  ageSeconds?: number;
  /** A Pod's phase. @default Running */
  phase?: string;
}

/** Puts a Pod into the cluster as if davit had created it. @returns its uid */
export function putPod(deps: TestDeps, stray: StrayObject): string {
  const status = { phase: stray.phase ?? 'Running' };
  const view = { metadata: metadataOf(deps, 'pod', stray), spec: { containers: [{ name: 'agent' }] }, status };
  return deps.cluster.pods.put(PodView.parse(view)).metadata.uid;
}

/** Puts a Service into the cluster as if davit had created it. @returns its uid */
export function putService(deps: TestDeps, stray: StrayObject): string {
  const view = { metadata: metadataOf(deps, 'service', stray), spec: {} };
  return deps.cluster.services.put(ServiceView.parse(view)).metadata.uid;
}

function metadataOf({ nowEpochMs }: TestDeps, kind: string, { launchId, name, labels, ageSeconds = 0 }: StrayObject) {
  const plan = planOf(launchId);
  return {
    name: name ?? plan.agentName,
    namespace: plan.namespace,
    uid: `${kind} of ${launchId} called ${name ?? plan.agentName}`,
    resourceVersion: '0',
    labels: labels ?? labelsOf(plan),
    creationTimestamp: new Date(nowEpochMs() - ageSeconds * 1000).toISOString(),
  };
}

/** Runs a sweep, as the function's handler does. */
export async function runSweep(deps: TestSweepDeps, input: Partial<SweepInput> = {}): Promise<SweepReport> {
  return SweepReport.parse(await sweep(deps, SweepInput.parse(input)));
}

/** Puts an agent's Service and Pod into the cluster. */
export function putBoth(deps: TestSweepDeps, stray: StrayObject): void {
  putService(deps, stray);
  putPod(deps, stray);
}

/** Adds a live launch whose execution runs. */
export async function putLaunch(
  deps: TestSweepDeps,
  launchId: string,
  overrides: Partial<LaunchRecord> = {},
): Promise<void> {
  const record = recordOf(launchId, overrides);
  await deps.launches.request(record);
  if (record.plan !== undefined) await deps.executions.start(record.plan);
}

/** Adds an ended launch, cleaned up as far as its record says. */
export async function putOver(deps: TestSweepDeps, launchId: string): Promise<void> {
  await putLaunch(deps, launchId);
  deps.executions.finish(launchId, { status: 'FAILED' });
  await deps.launches.end(launchId, endingOf());
  await deps.launches.markCleaned(launchId, epochMs);
}

/** The names of the existing objects. */
export function namesLeft({ cluster }: TestSweepDeps): string[] {
  return [...cluster.services.all(), ...cluster.pods.all()].map(({ metadata }) => metadata.name);
}
