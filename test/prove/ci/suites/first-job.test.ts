import { buildActRunner } from '../../cluster/programs/programs.ts';
import { firstJobCommands, untilOver } from '../first-job/first-job.ts';
import { startNewcomer } from '../first-job/newcomer.ts';
import { startAcme } from '../gitea/start-acme.ts';

test('the commands of docs/gitea.md lead from an empty folder to a green job, in the sandbox', async () => {
  const commands = firstJobCommands('gitea.md', '--sandbox');
  await using acme = await startAcme();
  const { gitea, client } = acme;
  await using newcomer = await startNewcomer({
    env: { GITEA: gitea.url, GITEA_TOKEN: gitea.adminToken },
    more: { local: ['--listen', '127.0.0.1:0'] },
    programs: { act_runner: await buildActRunner() },
  });

  for (const command of commands.slice(0, -1)) await newcomer.type(command);
  await untilOver(client);
  const listed = await newcomer.type(commands.at(-1) ?? '');

  expect(commands.length).toBeLessThanOrEqual(5);
  expect((await client.listRuns('acme', 'app')).map(({ conclusion }) => conclusion)).toEqual(['success']);
  expect(listed).toMatch(/^gitea-\S+ +(connected|cleaning|terminated) +linux/m);
});
