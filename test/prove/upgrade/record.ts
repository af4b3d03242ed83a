/**
 * Records the checked-out version of davit: `node test/prove/upgrade/record.ts FOLDER`. The next version's test.ts calls it in
 * a copy of this version.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionText } from '../../../scripts/statemachine/read-definition.ts';
import { synthesise } from '../../cdk/synthesise.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { recordLaunches, withRecordedProfiles } from './record-launches.ts';
import type { Installation } from './recording.ts';
import { resourcesInFlight } from './resources-in-flight.ts';
import { shapesOfToday } from './versioned-shapes.ts';

const [target] = process.argv.slice(2);
if (target === undefined) throw new TypeError('expected a folder for the recording');
await recordVersion(target);

/**
 * Runs launches of the checked-out version in the local runtime, and records them in a folder: its state machine, the
 * shapes of its data, its stack's resources, and launches at every state.
 */
async function recordVersion(folder: string): Promise<void> {
  const write = (name: string, content: unknown) => writeFile(join(folder, name), `${JSON.stringify(content)}\n`);

  await using davit = await startAwsTestRuntime({ changeConfig: withRecordedProfiles });
  const { config, runtime } = davit;
  const launches = await recordLaunches(davit);
  const key = await readCredentialKey(runtime);

  await mkdir(join(folder, 'launches'), { recursive: true });
  await write('launch.asl.json', JSON.parse(definitionText));
  await write('installation.json', { config, ...key, publicUrl: runtime.publicUrl } satisfies Installation);
  await write('shapes.json', shapesOfToday('input'));
  await write('resources.json', resourcesInFlight(synthesise()));
  for (const [name, launch] of launches) {
    await write(join('launches', `${name}.json`), launch);
    process.stdout.write(`${name}: ${launch.moments.map((moment) => moment.name).join(' ')}\n`);
  }
}

/** Reads the key that signs the agents' credentials, and its version's id. */
async function readCredentialKey(
  runtime: AwsTestRuntime['runtime'],
): Promise<Pick<Installation, 'credentialKey' | 'credentialKeyId'>> {
  const [key] = await runtime.secrets.signing(runtime.services.credentialKeySecret).accepted();
  if (key === undefined) throw new Error('no key signs credentials');
  return { credentialKey: key.text, credentialKeyId: key.id };
}
