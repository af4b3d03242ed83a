import { runProcess } from '../../../../scripts/run-process.ts';
import { root } from '../run.ts';
import { openTestCluster } from '../test-cluster.ts';

const { kubeconfigPath, hostIp, nodes } = await openTestCluster();

describe('npm run demo, with its agents in containers of a real cluster', () => {
  test('connects to agents at their nodes, runs a job on each, and leaves nothing', async () => {
    const { exitCode, output } = await demo('--launches', '4');

    const dialled = [...output.matchAll(/dialled (\S+):(\d+): davit-\S+ answers/g)];
    expect(exitCode).toBe(0);
    expect(output.match(/has ended: success, "built on Linux"/g)).toHaveLength(4);
    expect(new Set(dialled.map(([, , port]) => port)).size).toBe(4);
    expect(nodes.map(({ ip }) => ip)).toEqual(expect.arrayContaining(dialled.map(([, host]) => host)));
    expect(output).toMatch(/launches +4, 4 as expected\n +created +4 Services, 4 Pods, 4 runners\n/);
    expect(output).toMatch(/left +nothing\n/);
  });

  test('connects to unexposed agents at their Pods', async () => {
    const { exitCode, output } = await demo('--expose', 'none');

    expect(exitCode).toBe(0);
    expect(output).toMatch(/dialled 10\.250\.\d+\.\d+:8811: davit-\S+ answers/);
    expect(output).toMatch(/created +0 Services, 1 Pod, 1 runner\n/);
  });

  test.each([
    ['image', /ImagePullFailed: .*registry\.example\.com\/no-such-agent:1\.0/],
    ['agent-never-connects', /ConnectDeadlineExceeded: .*the agent has not connected/],
  ])("shows the failure %s in the cluster's words, and leaves nothing", async (failure, words) => {
    const { exitCode, output } = await demo('--fail', failure);

    expect(exitCode).toBe(0);
    expect(output).toMatch(words);
    expect(output).toMatch(/created +1 Service, 1 Pod, 0 runners\n/);
    expect(output).toMatch(/left +nothing\n/);
  });
});

function demo(...args: string[]): Promise<{ exitCode: number; output: string }> {
  const where = ['--kubeconfig', kubeconfigPath, '--listen', hostIp];
  return runProcess(process.execPath, ['local/demo/main.ts', ...where, ...args], { cwd: root });
}
