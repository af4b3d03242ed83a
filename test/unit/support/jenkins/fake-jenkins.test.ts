import { until } from '../../../prove/cluster/until.ts';
import { connectInboundAgent, type InboundAgent } from '../../../support/jenkins/inbound-agent.ts';
import { createJenkinsClient, type JenkinsClient } from '../../../support/jenkins/jenkins-client.ts';
import { type FakeJenkins, startFakeJenkins } from '../../../support/jenkins/start-fake-jenkins.ts';

const patienceMs = 30_000;
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(): Promise<{ jenkins: FakeJenkins; client: JenkinsClient }> {
  const jenkins = await startFakeJenkins();
  stops.push(() => jenkins.stop());
  const { url, user } = jenkins;
  return { jenkins, client: createJenkinsClient({ url, userName: user.name, apiToken: user.apiToken }) };
}

async function connect(jenkins: FakeJenkins, name: string, reconnects = false): Promise<InboundAgent> {
  const agent = await connectInboundAgent({ url: jenkins.url, name, secret: jenkins.secretOf(name), reconnects });
  stops.push(async () => agent.kill());
  return agent;
}

const whysOf = async (client: JenkinsClient) => (await client.listQueue()).map(({ why }) => why);

describe("a pipeline's label", () => {
  test('is not exported: why the item waits names it while several nodes, or none of several, have it', async () => {
    const { jenkins, client } = await start();
    await client.createNode('one', ['linux']);

    jenkins.enqueuePipeline({ name: 'deploy', label: 'arm && gpu' });
    const [unmatched] = await client.listQueue();
    await client.createNode('two', ['arm', 'gpu']);
    await client.createNode('three', ['arm', 'gpu']);

    expect(unmatched?.task).toMatchObject({ name: 'part of deploy #1' });
    expect(unmatched?.task).not.toHaveProperty('labelExpression');
    expect(unmatched?.why).toBe('There are no nodes with the label ‘arm&&gpu’');
    expect(await whysOf(client)).toEqual(['All nodes of label ‘arm&&gpu’ are offline']);
  });

  test('is not named while there is no node at all', async () => {
    const { jenkins, client } = await start();

    jenkins.enqueuePipeline({ name: 'alone', label: 'linux' });

    expect(await whysOf(client)).toEqual(['Waiting for next available executor']);
  });
});

describe('a durable step', () => {
  async function runningStep() {
    const { jenkins, client } = await start();
    await client.createNode('worker', ['linux']);
    const agent = await connect(jenkins, 'worker', true);
    jenkins.enqueuePipeline({ name: 'long', label: 'linux', script: 'sleep 0.3; echo survived' });
    const build = jenkins.state.builds[0];
    return { jenkins, client, agent, build };
  }

  test('outlives the loss of its connection, unlike a freestyle build', async () => {
    const { jenkins, client, agent, build } = await runningStep();

    agent.kill();
    await until('the node is offline', patienceMs, async () => (await client.findComputer('worker'))?.offline);

    expect(build?.result).toBeUndefined();
    expect(await client.findComputer('worker')).toMatchObject({
      idle: false,
      offlineCauseReason: 'Connection was broken',
    });
    expect(jenkins.state.builds).toHaveLength(1);
  });
});

test('without Job/Read, the queue looks empty', async () => {
  const { jenkins, client } = await start();
  jenkins.enqueueFreestyle({ name: 'hidden', label: 'linux' });
  jenkins.user.permissions.delete('Job/Read');

  expect(await client.listQueue()).toEqual([]);
});

describe('nodes', () => {
  test.each(['a/b', 'a:b', 'a b.', '', '..'])('are not named %j', async (name) => {
    const { client } = await start();

    expect((await client.createNode(name, [])).status).toBe(400);
  });

  test('are not changed by GET', async () => {
    const { client } = await start();
    await client.createNode('node', []);

    for (const call of ['changeOfflineCause', 'toggleOffline', 'doDelete']) {
      expect((await client.request('GET', `/computer/node/${call}`)).status).toBe(405);
    }
    expect(await client.findComputer('node')).toMatchObject({ temporarilyOffline: false });
  });

  test.each([
    ['davit:l-1', 'davit:l-1'],
    ['full : disk', 'disk'],
    ["it's <b>", 'it&#039;s &lt;b&gt;'],
    ['  ', ''],
  ])('a cause %j is read as %j', async (cause, reason) => {
    const { client } = await start();
    await client.createNode('node', []);

    await client.setOffline('node', cause);

    expect(await client.findComputer('node')).toMatchObject({ offlineCauseReason: reason });
  });
});

describe('agents', () => {
  test('are refused with a wrong secret, an unknown name, and while another is connected', async () => {
    const { jenkins, client } = await start();
    await client.createNode('node', []);
    const { url } = jenkins;
    await connect(jenkins, 'node');

    const tries = [
      { name: 'node', secret: '0'.repeat(64) },
      { name: 'other', secret: jenkins.secretOf('other') },
      { name: 'node', secret: jenkins.secretOf('node') },
    ];
    const outcomes = await Promise.allSettled(tries.map((agent) => connectInboundAgent({ url, ...agent })));

    expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual([
      'Error: Jenkins refuses the agent node: 403 Forbidden',
      'Error: Jenkins refuses the agent other: 400 no such agent',
      expect.stringMatching(/400 node is already connected to this controller\. Rejecting this connection\.$/),
    ]);
  });

  test('end when their node is deleted', async () => {
    const { jenkins, client } = await start();
    await client.createNode('node', []);
    const agent = await connect(jenkins, 'node', true);

    await client.deleteNode('node');

    expect(await agent.ended).toContain('no such agent');
  });
});

describe('the queue', () => {
  test('holds a job in its quiet period, and then while its own build runs', async () => {
    const { jenkins, client } = await start();
    await client.createNode('one', ['linux']);
    await connect(jenkins, 'one');
    jenkins.enqueueFreestyle({ name: 'nightly', label: 'linux', script: 'sleep 60' });

    jenkins.enqueueFreestyle({ name: 'nightly', label: 'linux' });
    jenkins.enqueueFreestyle({ name: 'later', label: 'linux', quietPeriodMs: 60_000 });

    expect(await whysOf(client)).toEqual([
      expect.stringMatching(/^In the quiet period\. Expires in \d+ sec$/),
      'Build #1 is already in progress (ETA: N/A)',
    ]);
  });
});
