import { firstJobCommands, untilOver } from '../first-job/first-job.ts';
import { startNewcomerWith } from '../first-job/newcomer.ts';
import { startAcme } from '../gitea/start-acme.ts';

test('the commands of docs/gitea.md lead from an empty folder to a green job, in the sandbox', async () => {
  const commands = firstJobCommands('gitea.md', '--sandbox');
  await using acme = await startAcme();
  const { gitea, client } = acme;
  await using newcomer = await startNewcomerWith(gitea);

  for (const command of commands.slice(0, -1)) await newcomer.type(command);
  await untilOver(client);
  const listed = await newcomer.type(commands.at(-1) ?? '');

  expect(commands.length).toBeLessThanOrEqual(5);
  expect((await client.listRuns('acme', 'app')).map(({ conclusion }) => conclusion)).toEqual(['success']);
  expect(listed).toMatch(/^gitea-\S+ +(connected|cleaning|terminated) +linux/m);
});
