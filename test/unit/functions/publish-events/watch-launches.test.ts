import { TransientError } from '../../../../core/errors/errors.ts';
import { watchLaunches } from '../../../../functions/publish-events/watch-launches.ts';
import type { InvokeLater } from '../../../../ports/invoke-later.ts';

test('a watch is asked for again after 10 s, for each cluster, and at once if it could not be asked for', async () => {
  const asked: string[] = [];
  let nowEpochMs = 0;
  let isDown = true;
  const invokeLater: InvokeLater<'probe'> = async (functionName, { cluster, isLaunching }) => {
    if (isDown) throw new TransientError('StoreUnavailable', 'Lambda: 503');
    asked.push(`${nowEpochMs} ${functionName} ${cluster} ${isLaunching}`);
  };
  const watch = watchLaunches({ invokeLater, nowEpochMs: () => nowEpochMs });

  await expect(watch('eu-1')).rejects.toThrow('503');
  isDown = false;
  for (const [atMs, cluster] of [
    [0, 'eu-1'],
    [1, 'us-1'],
    [9999, 'eu-1'],
    [10_000, 'eu-1'],
  ] as const) {
    nowEpochMs = atMs;
    await watch(cluster);
  }

  expect(asked).toEqual(['0 probe eu-1 true', '1 probe us-1 true', '10000 probe eu-1 true']);
});
