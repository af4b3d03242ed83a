import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { LaunchStatus } from '../../../core/launch/launch-record.ts';
import { agentImages } from '../../../local/agent/image.ts';
import type { ImageTable } from '../../../sandbox/node/image-pull.ts';
import { LOCAL_REGION } from '../../support/aws/lambda/function-name.ts';
import { untilExecutionEnds } from '../../support/execution-events.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { configOfToday } from './config-of-today.ts';
import { type Recording, readRecording } from './recording.ts';
import { resumable } from './resumable.ts';
import { type Interrupted, restore, resume } from './resume-launch.ts';

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

/** Starts today's davit with an earlier version's state machine, davit.yaml and signing key. */
async function startOn({ definition, installation }: Recording): Promise<AwsTestRuntime> {
  const davit = await startAwsTestRuntime({
    changeConfig: () => configOfToday(installation.config),
    definition: resumable(definition),
    sandbox: { images: connectingImages(), node: { behaviour: { imagePullBackOff: { baseMs: 200, maxMs: 200 } } } },
  });
  const { secretsManagerUrl: endpoint, secretAccessKey, credentialKeySecret: SecretId } = davit.runtime.services;
  const credentials = { accessKeyId: 'local', secretAccessKey };
  const client = new SecretsManagerClient({ endpoint, region: LOCAL_REGION, credentials });
  const { credentialKey: SecretString, credentialKeyId: ClientRequestToken } = installation;
  // Secrets Manager makes the token the version's id, which the recorded credentials name.
  await client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }));
  client.destroy();
  return davit;
}

/** Makes the agents connect; they were idle during the recording. */
function connectingImages(): ImageTable {
  const [agent] = Object.values(agentImages());
  if (agent === undefined) throw new Error('there is no reference agent');
  return { 'davit.dev/idle': agent };
}
