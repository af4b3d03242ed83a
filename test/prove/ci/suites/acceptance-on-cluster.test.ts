import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startOnCluster, testOnCluster } from '../first-job/start-on-cluster.ts';

testOnCluster('a davit on a real Gitea and a real Kubernetes holds, also when a Pod is deleted', async () => {
  await using place = await startOnCluster();
  const { newcomer, commands, type } = place;
  const local = commands.findIndex((command) => command.startsWith('davit local'));
  for (const command of commands.slice(0, local + 1)) await type(command);

  const scenarios = ['matrix', 'cancel-running', 'pod-deleted'].map((name) => `--scenario ${name}`).join(' ');
  const where = '--kubeconfig kubeconfig --namespace davit-agents --repository acme/app --ci-system gitea';
  await type(`davit acceptance ${where} ${scenarios} --yes --report report.md`);
  const report = await readFile(join(newcomer.folder, 'report.md'), 'utf8');

  expect(report).toMatch(/\| Kubernetes \| v1\.34/);
  expect(report.match(/^\| [a-z-]+ \| held \|/gm)).toHaveLength(5);
  expect(report).not.toMatch(/not-held|not-run/);
});
