import { runProcess } from '../../../../scripts/run-process.ts';
import { root } from '../run.ts';
import { openTestCluster } from '../test-cluster.ts';

const { kubeconfigPath, hostIp, nodes } = await openTestCluster();

test('npm run demo connects to agents in containers at their nodes, runs a job on each, and leaves nothing', async () => {
  const args = ['--kubeconfig', kubeconfigPath, '--listen', hostIp, '--launches', '4'];
  const { exitCode, output } = await runProcess(process.execPath, ['local/demo/main.ts', ...args], { cwd: root });

  const dialled = [...output.matchAll(/dialled (\S+):(\d+): davit-\S+ answers/g)];
  expect(exitCode).toBe(0);
  expect(output.match(/has ended: success, "built on Linux"/g)).toHaveLength(4);
  expect(new Set(dialled.map(([, , port]) => port)).size).toBe(4);
  expect(nodes.map(({ ip }) => ip)).toEqual(expect.arrayContaining(dialled.map(([, host]) => host)));
  expect(output).toMatch(/launches +4, 4 as expected\n +created +4 Services, 4 Pods, 4 runners\n/);
  expect(output).toMatch(/left +nothing\n/);
});
