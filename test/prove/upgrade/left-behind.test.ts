import type { AwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { type Recording, readRecording } from './recording.ts';
import { type Interrupted, restore, resume } from './resume-launch.ts';
import { ownRounds, type Restless, unsettledAfterRounds } from './rounds.ts';
import { startOn } from './start-on.ts';

describe('launches at every state, which the version before has left all at once,', () => {
  const recording = readRecording();

  test('come to rest within the rounds of this version while their executions go on', async () => {
    await using davit = await startOn(recording, ownRounds);
    const launchIds = await Promise.all(momentsOf(recording).map((each) => goOn(davit, each)));

    expect(await unsettledAfterRounds(davit, () => restless(launchIds))).toEqual([]);
  });

  test('come to rest within the rounds of this version when their executions are gone', async () => {
    await using davit = await startOn(recording, ownRounds);
    const launchIds = await Promise.all(momentsOf(recording).map((each) => abandon(davit, each)));

    expect(await unsettledAfterRounds(davit, () => restless(launchIds))).toEqual([]);
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

/** Agents that have connected may go on: nobody ends their launches. */
function restless(launchIds: readonly string[]): Restless {
  return { launchIds, lasting: launchIds, limits: [], others: [] };
}
