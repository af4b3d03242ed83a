import { setImmediate as turn } from 'node:timers/promises';
import { diskWaits } from '../../../../local/store/disk-waits.ts';

/** A disk that says when each wait ends. */
function startDisk() {
  const syncs: PromiseWithResolvers<void>[] = [];
  const disk = diskWaits(() => {
    const sync = Promise.withResolvers<void>();
    syncs.push(sync);
    return sync.promise;
  });
  const arrived: string[] = [];
  const wait = (name: string) =>
    disk.onDisk().then(
      () => arrived.push(name),
      () => arrived.push(`${name} failed`),
    );
  return { disk, syncs, arrived, wait };
}

test('nothing waits for the disk when nothing is written', async () => {
  const { disk, syncs } = startDisk();
  await disk.onDisk();

  expect(syncs).toHaveLength(0);
});

test('what is written during a wait takes part in the next one, together with all that come meanwhile', async () => {
  const { disk, syncs, arrived, wait } = startDisk();
  disk.wrote();
  void wait('first');
  void wait('with the first');
  disk.wrote();
  void wait('second');
  disk.wrote();
  void wait('third');

  expect(syncs).toHaveLength(1);
  syncs[0]?.resolve();
  await turn();
  expect({ arrived: [...arrived], syncs: syncs.length }).toEqual({ arrived: ['first', 'with the first'], syncs: 2 });

  syncs[1]?.resolve();
  await turn();
  expect(arrived.slice(2)).toEqual(['second', 'third']);
  await disk.onDisk();
  expect(syncs).toHaveLength(2);
});

test('a write whose wait failed is not on the disk', async () => {
  const { disk, syncs, arrived, wait } = startDisk();
  disk.wrote();
  void wait('first');
  disk.wrote();
  void wait('second');

  syncs[0]?.reject(new Error('EIO'));
  await turn();
  expect({ arrived: [...arrived], syncs: syncs.length }).toEqual({ arrived: ['first failed'], syncs: 2 });

  syncs[1]?.resolve();
  await turn();
  expect(arrived).toEqual(['first failed', 'second']);
});
