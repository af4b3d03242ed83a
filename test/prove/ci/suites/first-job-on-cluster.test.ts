import { untilOver } from '../first-job/first-job.ts';
import { startOnCluster, testOnCluster } from '../first-job/start-on-cluster.ts';

testOnCluster('the commands of docs/gitea.md lead to a green job on a real Kubernetes', async () => {
  await using place = await startOnCluster();
  const { client, commands, type } = place;

  for (const command of commands.slice(0, -1)) await type(command);
  await untilOver(client);
  const listed = await type(commands.at(-1) ?? '');

  expect(commands.length).toBeLessThanOrEqual(6);
  expect((await client.listRuns('acme', 'app')).map(({ conclusion }) => conclusion)).toEqual(['success']);
  expect(listed).toMatch(/^gitea-\S+ +(connected|cleaning|terminated) +linux/m);
});
