import { LaunchStatus } from '../../../core/launch/launch-record.ts';
import { untilExecutionEnds } from '../../support/execution-events.ts';
import type { AwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { type Recording, readRecording } from './recording.ts';
import { type Interrupted, restore, resume } from './resume-launch.ts';
import { startOn } from './start-on.ts';

describe("a launch of the version before, on its own state machine and this version's functions,", () => {
  const recording = readRecording();
  let davit: AwsTestRuntime;
  beforeAll(async () => {
    davit = await startOn(recording);
  });
  afterAll(async () => {
    await davit[Symbol.asyncDispose]();
  });

  test.each(resumed(recording, ['dial-out', 'relaunched']))(
    'continues from %s until its agent connects, and leaves nothing when it is ended',
    async (_when, interrupted) => {
      const launchId = await resume(davit, interrupted);
      const { status, cause } = await untilExecutionEnds(davit.runtime, launchId);
      const connected = await davit.launches.show(launchId);
      await davit.launches.end(launchId);
      const ended = await davit.launches.until(launchId, 'terminated', 'failed');

      expect({ status, cause }).toEqual({ status: 'SUCCEEDED', cause: undefined });
      expect(connected.status).toBe('connected');
      expect(ended.status).toBe('terminated');
      expect(davit.history.left(launchId)).toEqual([]);
    },
  );

  test.each(resumed(recording, ['failed']))(
    'fails from %s as it would have, and leaves nothing',
    async (_when, interrupted) => {
      const launchId = await resume(davit, interrupted);
      const { status, error } = await untilExecutionEnds(davit.runtime, launchId);
      const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

      expect({ status, error }).toEqual({ status: 'FAILED', error: 'ImagePullFailed' });
      expect(ending).toMatchObject({ outcome: 'failed', code: 'ImagePullFailed', by: 'the state machine' });
      expect(davit.history.left(launchId)).toEqual([]);
    },
  );

  test.each(over(recording))('is shown once it is over (%s), and no sweep touches it', async (_when, interrupted) => {
    const { launchId } = await restore(davit, interrupted);

    const shown = await davit.launches.show(launchId);
    const { payload } = await davit.runtime.invoke('sweep', { dryRun: true, graceSeconds: 0 });

    expect(shown.status).toBe(interrupted.moment.record['status']);
    expect(payload).toMatchObject({ findings: [], errors: [] });
  });
});

/** Every state that these launches entered, without the states of type Fail. */
function resumed({ installation, launches, definition }: Recording, names: string[]): [string, Interrupted][] {
  const { States }: { States: Record<string, { Type: string }> } = JSON.parse(definition);
  return names.flatMap((name) => {
    const launch = launches.get(name);
    if (launch === undefined) throw new Error(`no launch ${name} was recorded`);
    return launch.moments
      .filter((moment) => moment.data !== undefined && States[moment.name]?.Type !== 'Fail')
      .map((moment): [string, Interrupted] => [
        `${moment.name} (${name}, generation ${generationOf(moment.data)})`,
        { installation, launch, moment },
      ]);
  });
}

function statusOf({ status }: Record<string, unknown>): string {
  return LaunchStatus.parse(status);
}

function generationOf(data: Record<string, unknown> | undefined): string {
  return JSON.stringify(data?.['generation']);
}

/** The last moments of each launch: after its execution, and after its end. */
function over({ installation, launches }: Recording): [string, Interrupted][] {
  return [...launches].flatMap(([name, launch]) =>
    launch.moments
      .filter(({ data }) => data === undefined)
      .map((moment): [string, Interrupted] => [
        `${name}, ${statusOf(moment.record)}`,
        { installation, launch, moment },
      ]),
  );
}
