import { TransientError } from '../../../../core/errors/errors.ts';
import { watchLaunches } from '../../../../functions/publish-events/watch-launches.ts';

test('a watch is asked for again after 10 s, for each cluster, and at once if it could not be asked for', async () => {
  const asked: string[] = [];
  let nowEpochMs = 0;
  let isDown = true;
  const requestWatch = async (cluster: string) => {
    if (isDown) throw new TransientError('StoreUnavailable', 'Lambda: 503');
    asked.push(`${nowEpochMs} ${cluster}`);
  };
  const watch = watchLaunches({ probes: { requestWatch }, nowEpochMs: () => nowEpochMs });

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

  expect(asked).toEqual(['0 eu-1', '1 us-1', '10000 eu-1']);
});
