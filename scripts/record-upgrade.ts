/**
 * Records the version of davit that is checked out, so that later versions can prove that they take over its launches:
 * its state machine, the shapes of its data, its stack's resources, and real launches at every state.
 *
 *     node scripts/record-upgrade.ts
 *
 * @see docs/adr/0009-every-version-reads-the-others-data.md
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rootFolder } from '../cdk/bundling.ts';
import packageJson from '../package.json' with { type: 'json' };
import { synthesise } from '../test/cdk/synthesise.ts';
import { readSecret } from '../test/support/agent-credentials.ts';
import { startTestRuntime } from '../test/support/start-test-runtime.ts';
import { recordLaunches, withRecordedProfiles } from '../test/upgrade/record-launches.ts';
import { type Installation, recordingFolder } from '../test/upgrade/recording.ts';
import { resourcesInFlight } from '../test/upgrade/resources-in-flight.ts';
import { shapesOfToday } from '../test/upgrade/versioned-shapes.ts';

const usage = `npm run upgrade:record

Runs launches of this version, ${packageJson.version}, in the local runtime, and records them in test/upgrade/fixtures.
A release is recorded once, when it is made: what is there already is not written again.
`;

/** Records this version. @throws Error when it was recorded before */
async function record(folder: string): Promise<void> {
  if (existsSync(folder)) throw new Error(`${packageJson.version} is recorded already: a release does not change`);
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), `${JSON.stringify(content, undefined, 2)}\n`);

  await using davit = await startTestRuntime({ changeConfig: withRecordedProfiles });
  const { config, runtime } = davit;
  const launches = await recordLaunches(davit);
  const credentialKey = await readSecret(runtime, runtime.services.credentialKeySecret);

  await mkdir(join(folder, 'launches'), { recursive: true });
  await copyFile(join(rootFolder, 'statemachine', 'launch.asl.json'), join(folder, 'launch.asl.json'));
  await write('installation.json', { config, credentialKey, publicUrl: runtime.publicUrl } satisfies Installation);
  await write('shapes.json', shapesOfToday('input'));
  await write('resources.json', resourcesInFlight(synthesise()));
  for (const [name, launch] of launches) {
    await write(join('launches', `${name}.json`), launch);
    process.stdout.write(`${name}: ${launch.moments.map((moment) => moment.name).join(' ')}\n`);
  }
  process.stdout.write(`recorded in ${folder}\n`);
}

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) process.stdout.write(usage);
else await record(recordingFolder(packageJson.version));
