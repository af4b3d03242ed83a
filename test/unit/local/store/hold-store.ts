/** Opens a store, writes a launch, and holds it until it is killed: `node hold-store.ts FILE`. */
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteLaunches } from '../../../../local/store/sqlite-launches.ts';
import { recordOf } from '../../../contract/launch-fixtures.ts';

const store = openStore(process.argv[2] ?? '');
await sqliteLaunches(store).request(recordOf('job'));
process.send?.('ready');
process.on('disconnect', () => store[Symbol.dispose]());
