import { connect } from 'node:net';
import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import type { Registration } from '../../../../local/demo/ci-server.ts';
import { namespace } from '../credentials.ts';
import { change } from '../outcomes/change-object.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const cluster = await openTestCluster();
const dialTimeoutMs = 2000;

const davit = await startDavit(cluster);
afterAll(() => davit[Symbol.asyncDispose]());

describe('a launch into a real cluster', () => {
  test('is reachable at the node that it advertises, and at no other', async () => {
    const launchId = await davit.launches.request({ profile: 'linux', jobId: 'local' });
    const { token } = await registrationOf('local');
    const others = cluster.nodes.filter(({ ip }) => ip !== token.host);

    // kube-proxy learns of the agent when davit does: retry.
    await until('the advertised address answers', 10_000, () => answers(token.host, token.port));
    for (const { ip } of others) expect(await answers(ip, token.port)).toBe(false);
    expect(others).toHaveLength(1);
    // The Service's traffic policy ensures this: without it, each node forwards callers.
    const service = `/api/v1/namespaces/${namespace}/services/${token.agentName}`;
    await change(davit.api, service, { spec: { externalTrafficPolicy: 'Cluster' } });
    for (const { ip } of others) await until('another node answers', 10_000, () => answers(ip, token.port));
    await end(launchId);
  });

  test("gets the caller's environment byte for byte", async () => {
    const value = '$(PATH) $$(PATH) $$$ $é $(';
    const request = { profile: 'linux', jobId: 'literal', env: { LITERAL: value } };
    const launchId = await davit.launches.request(request);
    const { token } = await registrationOf('literal');

    const { output } = await davit.ci.run(token, {
      run: ['sh', '-c', 'printf %s "$LITERAL"; env | grep -c _SERVICE_HOST'],
    });

    // The API server's own address is always there; other agents' must not be.
    expect(output).toBe(`${value}1\n`);
    await end(launchId);
  });
});

function registrationOf(jobId: string): Promise<Registration> {
  return davit.ci.registrationOf(agentNameOf(apiLaunchId(jobId)), AbortSignal.timeout(90_000));
}

async function end(launchId: string): Promise<void> {
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated', 'failed');
  expect(await davit.left(launchId)).toEqual([]);
}

function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  return new Promise((resolve) => {
    const say = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(dialTimeoutMs, () => say(false));
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
  });
}
