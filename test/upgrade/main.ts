/**
 * Records the checked-out version of davit, so that later versions can prove that they take over its launches:
 * its state machine, the shapes of its data, its stack's resources, and real launches at every state.
 *
 *     node test/upgrade/main.ts
 *
 * @see docs/adr/0009-every-version-reads-the-others-data.md
 */
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };

const usage = `npm run upgrade:record

Runs launches of this version, ${packageJson.version}, in the local runtime, and records them in test/upgrade/fixtures.
A release is recorded once, when it is made: the command refuses to write a version a second time.
`;

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) {
  process.stdout.write(usage);
} else {
  // Loads the runtime and CDK only for a recording.
  const { recordVersion } = await import('./record-version.ts');
  await recordVersion(packageJson.version);
}
