import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { askAboutLaunches, mostRounds, type Seen, unsettled, type Violation } from '../../support/unsettled.ts';
import { type Recording, readRecording } from './recording.ts';
import { type Interrupted, restore, resume } from './resume-launch.ts';
import { startOn } from './start-on.ts';

/** No schedule sweeps: the test does. Only probes say that a cluster answers. */
const schedules = { sweepIntervalMs: 3_600_000, probeIntervalMs: 60_000 };
/** How long after a round the schedules would begin the next one. */
const roundMs = 60_000;
const lookMs = 200;

describe('launches at every state, which the version before has left all at once,', () => {
  const recording = readRecording();

  test('come to rest within the rounds of this version while their executions go on', async () => {
    await using davit = await startOn(recording, schedules);
    const launchIds = await Promise.all(momentsOf(recording).map((each) => goOn(davit, each)));

    expect(await unsettledAfterRounds(davit, launchIds)).toEqual([]);
  });

  test('come to rest within the rounds of this version when their executions are gone', async () => {
    await using davit = await startOn(recording, schedules);
    const launchIds = await Promise.all(momentsOf(recording).map((each) => abandon(davit, each)));

    expect(await unsettledAfterRounds(davit, launchIds)).toEqual([]);
  });
});

function momentsOf({ installation, launches }: Recording): Interrupted[] {
  return [...launches.values()].flatMap((launch) => launch.moments.map((moment) => ({ installation, launch, moment })));
}

function goOn(davit: AwsTestRuntime, interrupted: Interrupted): Promise<string> {
  return interrupted.moment.data === undefined ? abandon(davit, interrupted) : resume(davit, interrupted);
}

async function abandon(davit: AwsTestRuntime, interrupted: Interrupted): Promise<string> {
  return (await restore(davit, interrupted)).launchId;
}

/** Begins rounds until everything is at rest, or there were as many as it may take. @returns what is not at rest */
async function unsettledAfterRounds(davit: AwsTestRuntime, launchIds: readonly string[]): Promise<Violation[]> {
  let violations: Violation[] = [];
  for (let rounds = 1; rounds <= mostRounds; rounds += 1) {
    const nextMs = performance.now() + roundMs;
    await Promise.all([davit.runtime.invoke('sweep', { graceSeconds: 0 }), davit.runtime.invoke('reconcile', {})]);
    do {
      violations = unsettled(await look(davit, launchIds), launchIds);
      if (violations.length === 0) return [];
      await sleep(lookMs);
    } while (performance.now() < nextMs);
  }
  return violations;
}

async function look({ runtime, launches, history }: AwsTestRuntime, launchIds: readonly string[]): Promise<Seen> {
  const objects = launchIds.flatMap((launchId) =>
    history.left(launchId).map((text) => {
      const [kind = '', name = ''] = text.split(' ');
      return { launchId, kind, name };
    }),
  );
  const executions = [...(await runtime.ports.executions.running())];
  return { objects, executions, slots: [], ...(await askAboutLaunches(launches, launchIds)) };
}
