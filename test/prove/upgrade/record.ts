/**
 * Records the checked-out version of davit: `node test/prove/upgrade/record.ts FOLDER`. The next version's test.ts calls it in
 * a copy of this version.
 */
import { recordVersion } from './record-version.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('expected a folder for the recording');
await recordVersion(folder);
