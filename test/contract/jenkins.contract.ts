import { until } from '../prove/cluster/until.ts';
import { holdBuilds } from '../support/jenkins/hold-builds.ts';
import { createJenkinsClient, type JenkinsAccess, type JenkinsClient } from '../support/jenkins/jenkins-client.ts';

/** An agent of a test. */
export interface JenkinsAgent {
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

/** A job's last build. */
export interface BuildOutcome {
  /** Null while it runs. */
  result: string | null;
  /** The name of its node. */
  builtOn: string;
}

/** Where a server behaves otherwise than today's Jenkins. The suite names each place. */
export type JenkinsDifference =
  /** `why` has no typographic quotes around the names of nodes and labels. */
  | 'plain quotes'
  /** A label without a node reads like one whose nodes are all offline. */
  | 'no word for a label without nodes';

/** A Jenkins, and the test's own actions in it. */
export interface JenkinsWorld extends JenkinsAccess {
  differences: readonly JenkinsDifference[];
  /** Queues a freestyle job, in a new project. @returns the id of its item */
  enqueue(job: { name: string; label: string; script: string }): Promise<number>;
  /** The last build of a job; undefined before its first one. */
  lastBuildOf(job: string): Promise<BuildOutcome | undefined>;
  connectAgent(node: { name: string; secret: string }): Promise<JenkinsAgent>;
  /** Stops the server, and starts it with its data. */
  restart(): Promise<void>;
}

const patienceMs = 60_000;

/** What davit relies on in a Jenkins. Runs against each server that stands in for it. */
export function jenkinsContract(name: string, start: () => Promise<JenkinsWorld>): void {
  describe(`${name}, as davit uses it`, () => {
    let world: JenkinsWorld;
    let client: JenkinsClient;
    const agents: JenkinsAgent[] = [];
    /** The nodes of the present test. */
    const nodes: string[] = [];

    beforeAll(async () => {
      world = await start();
      client = createJenkinsClient(world);
    });

    afterEach(async () => {
      for (const node of nodes.splice(0)) await client.deleteNode(node);
      for (const agent of agents.splice(0)) await agent.kill();
    });

    const differs = (difference: JenkinsDifference) => world.differences.includes(difference);
    /** Plain quotes stand around labels, and nothing around nodes. */
    const inWords = (why: string) => {
      if (!differs('plain quotes')) return why;
      return why.replace(/^‘(.*)’ is offline$/, '$1 is offline').replaceAll(/[‘’]/g, "'");
    };

    const createNode = (node: string, labels: readonly string[]) => {
      nodes.push(node);
      return client.createNode(node, labels);
    };

    async function launch(node: string): Promise<JenkinsAgent> {
      const agent = await world.connectAgent({ name: node, secret: await client.readSecret(node) });
      agents.push(agent);
      return agent;
    }

    async function connect(node: string): Promise<JenkinsAgent> {
      const agent = await launch(node);
      await until(`${node} is online`, patienceMs, async () => (await client.findComputer(node))?.offline === false);
      return agent;
    }

    async function connectedNode(node: string, label: string): Promise<JenkinsAgent> {
      await createNode(node, [label]);
      return connect(node);
    }

    const queued = (job: string) =>
      until(`${job} waits`, patienceMs, async () => (await client.listQueue()).find(({ task }) => task.name === job));
    const waitsBecause = (job: string, why: string) =>
      until(`${job} waits because ${why}`, patienceMs, async () =>
        (await client.listQueue()).some((item) => item.task.name === job && item.why === inWords(why)),
      );
    const running = (job: string, node: string) =>
      until(`${job} runs on ${node}`, patienceMs, async () => (await world.lastBuildOf(job))?.builtOn === node);
    const concluded = (job: string) =>
      until(`${job} is over`, patienceMs, async () => (await world.lastBuildOf(job))?.result ?? undefined);
    const itemOf = async (id: number): Promise<unknown> =>
      JSON.parse((await client.request('GET', `/queue/item/${id}/api/json?depth=1`)).text);
    const idle = (node: string) =>
      until(`${node} is idle`, patienceMs, async () => {
        const computer = await client.findComputer(node);
        return computer?.idle === true && computer;
      });

    test('a job that waits is listed with its label expression and with why it waits, in English', async () => {
      const before = Date.now();
      await createNode('listed-other', ['listed-other']);

      await world.enqueue({ name: 'listed', label: 'listed && !arm', script: 'true' });

      const item = await queued('listed');
      expect(item.task.labelExpression).toBe('listed && !arm');
      expect(item.inQueueSince).toBeGreaterThanOrEqual(before - 1000);
      const noNodes = differs('no word for a label without nodes')
        ? 'All nodes of label ‘listed&&!arm’ are offline'
        : 'There are no nodes with the label ‘listed&&!arm’';
      await waitsBecause('listed', noNodes);
      await client.cancelItem(item.id);
    });

    test('why a job waits names the node, and not the label, when one node has the label', async () => {
      await createNode('named', ['named-label']);

      await world.enqueue({ name: 'named-job', label: 'named-label', script: 'true' });

      await waitsBecause('named-job', '‘named’ is offline');
      await client.cancelItem((await queued('named-job')).id);
    });

    test('a new node has its labels and one executor, and is offline until its agent connects', async () => {
      const { status } = await createNode('fresh', ['linux', 'docker']);

      const computer = await client.findComputer('fresh');
      const labels = computer?.assignedLabels.map((label) => label.name).sort();
      expect(status).toBe(302);
      expect(computer).toMatchObject({ idle: true, offline: true, temporarilyOffline: false, numExecutors: 1 });
      expect(labels).toEqual(['docker', 'fresh', 'linux']);
      expect((await client.listComputers()).map(({ displayName }) => displayName)).toContain('fresh');
    });

    test('a second node of a name is refused, and the first one is unchanged', async () => {
      await createNode('twice', ['first']);

      const { status } = await createNode('twice', ['second']);

      const labels = (await client.findComputer('twice'))?.assignedLabels.map((label) => label.name);
      expect(status).toBe(400);
      expect(labels).toContain('first');
      expect(labels).not.toContain('second');
    });

    test('the secret of a name is the same for every node that ever has it', async () => {
      await createNode('reborn', ['reborn']);
      const first = await client.readSecret('reborn');
      await client.deleteNode('reborn');
      await createNode('reborn', ['reborn']);

      const second = await client.readSecret('reborn');

      expect(second).toBe(first);
    });

    test('an agent that connects runs the job that waits for its labels', async () => {
      await world.enqueue({ name: 'runs', label: 'runs-here', script: 'echo done' });
      await createNode('runner', ['runs-here']);

      await connect('runner');

      expect(await concluded('runs')).toBe('SUCCESS');
      expect(await world.lastBuildOf('runs')).toMatchObject({ builtOn: 'runner' });
      expect(await idle('runner')).toMatchObject({ offline: false });
    });

    test('a job whose script fails is a failure', async () => {
      await world.enqueue({ name: 'fails', label: 'fails-here', script: 'exit 3' });

      await connectedNode('failing', 'fails-here');

      expect(await concluded('fails')).toBe('FAILURE');
    });

    test('a node that is set offline in a build finishes it, and takes no other', async () => {
      await using held = await holdBuilds();
      await connectedNode('last-one', 'last-here');
      await world.enqueue({ name: 'kept', label: 'last-here', script: held.script });
      await running('kept', 'last-one');

      await client.setOffline('last-one', 'davit:last');
      await world.enqueue({ name: 'barred', label: 'last-here', script: 'true' });

      const busy = await client.findComputer('last-one');
      expect(busy).toMatchObject({ idle: false, offline: true, temporarilyOffline: true });
      expect(busy?.executors[0]?.currentExecutable?.url).toContain('/job/kept/');
      await held.release();
      expect(await concluded('kept')).toBe('SUCCESS');
      expect(await idle('last-one')).toMatchObject({ offline: true, offlineCauseReason: 'davit:last' });
      await waitsBecause('barred', '‘last-one’ is offline');
      await client.cancelItem((await queued('barred')).id);
    });

    test('to set a node offline twice leaves it offline, with the second cause', async () => {
      await connectedNode('set', 'set-here');

      const first = await client.setOffline('set', 'davit:first');
      const once = await client.findComputer('set');
      const second = await client.setOffline('set', 'davit:second');
      const twice = await client.findComputer('set');

      expect([first.status, second.status]).toEqual([302, 302]);
      expect(once).toMatchObject({ offline: true, offlineCauseReason: 'davit:first' });
      expect(twice).toMatchObject({ offline: true, temporarilyOffline: true, offlineCauseReason: 'davit:second' });
    });

    // The Tails report: two who each saw the state before, and each turned it.
    test('a toggle by each of two who saw the node online leaves it online, and it takes a job', async () => {
      await connectedNode('raced', 'raced-here');
      const seen = await Promise.all([client.findComputer('raced'), client.findComputer('raced')]);
      expect(seen.map((computer) => computer?.offline)).toEqual([false, false]);

      await client.toggleOffline('raced', 'davit:one');
      await client.toggleOffline('raced', 'davit:other');

      expect(await client.findComputer('raced')).toMatchObject({ offline: false, temporarilyOffline: false });
      await world.enqueue({ name: 'slipped', label: 'raced-here', script: 'true' });
      expect(await concluded('slipped')).toBe('SUCCESS');
    });

    test('a cause set by each of two who saw the node online leaves it offline, and it takes no job', async () => {
      await connectedNode('calm', 'calm-here');
      const seen = await Promise.all([client.findComputer('calm'), client.findComputer('calm')]);
      expect(seen.map((computer) => computer?.offline)).toEqual([false, false]);

      await Promise.all([client.setOffline('calm', 'davit:one'), client.setOffline('calm', 'davit:other')]);

      await world.enqueue({ name: 'held', label: 'calm-here', script: 'true' });
      await waitsBecause('held', '‘calm’ is offline');
      expect(await world.lastBuildOf('held')).toBeUndefined();
      await client.cancelItem((await queued('held')).id);
    });

    test('a toggle brings back a node that another has set offline: the cause shows it', async () => {
      await connectedNode('returned', 'returned-here');
      await client.setOffline('returned', 'davit:returned');

      await client.toggleOffline('returned', '');

      expect(await client.findComputer('returned')).toMatchObject({ offline: false, offlineCauseReason: '' });
    });

    test('a deleted node is unknown, and to delete it again is answered with 404', async () => {
      await connectedNode('gone', 'gone-here');

      const first = await client.deleteNode('gone');
      const second = await client.deleteNode('gone');

      expect([first.status, second.status]).toEqual([302, 404]);
      expect(await client.findComputer('gone')).toBeUndefined();
      expect((await client.setOffline('gone', 'davit:gone')).status).toBe(404);
    });

    test('to delete a busy node is not refused: its build fails', async () => {
      await connectedNode('killed', 'killed-here');
      await world.enqueue({ name: 'victim', label: 'killed-here', script: 'sleep 60' });
      await running('victim', 'killed');

      const { status } = await client.deleteNode('killed');

      expect(status).toBe(302);
      expect(['FAILURE', 'ABORTED']).toContain(await concluded('victim'));
    });

    test('the build of an agent that is killed fails, and its node is offline', async () => {
      const agent = await connectedNode('crashed', 'crashed-here');
      await world.enqueue({ name: 'lost', label: 'crashed-here', script: 'sleep 60' });
      await running('lost', 'crashed');

      await agent.kill();

      expect(await concluded('lost')).toBe('FAILURE');
      expect(await idle('crashed')).toMatchObject({ offline: true, temporarilyOffline: false });
    });

    test('a job that is cancelled in the queue leaves it and has no build', async () => {
      await world.enqueue({ name: 'cancelled', label: 'cancelled-here', script: 'true' });
      const { id } = await queued('cancelled');

      await client.cancelItem(id);

      expect((await client.listQueue()).map(({ task }) => task.name)).not.toContain('cancelled');
      expect(await world.lastBuildOf('cancelled')).toBeUndefined();
      expect(await itemOf(id)).toMatchObject({ cancelled: true });
    });

    test('an item that has left the queue names its build', async () => {
      await using held = await holdBuilds();
      await connectedNode('leaves', 'leaves-here');

      const id = await world.enqueue({ name: 'started', label: 'leaves-here', script: held.script });
      await running('started', 'leaves');

      const url = expect.stringMatching(/^http.*\/job\/started\/1\/$/);
      expect(await itemOf(id)).toMatchObject({ cancelled: false, executable: { number: 1, url } });
      await held.release();
      await concluded('started');
    });

    test('a wrong token is refused with 401', async () => {
      const stranger = createJenkinsClient({ ...world, apiToken: 'wrong' });

      expect(await stranger.request('GET', '/queue/api/json')).toMatchObject({ status: 401 });
    });

    test('a restarted server knows its nodes, their causes and its queue', async () => {
      await createNode('survivor', ['survivor-here']);
      await client.setOffline('survivor', 'davit:survivor');
      await world.enqueue({ name: 'patient', label: 'survivor-here', script: 'true' });
      await waitsBecause('patient', '‘survivor’ is offline');

      await world.restart();
      await launch('survivor');
      await until('the cause is back', patienceMs, async () => {
        const computer = await client.findComputer('survivor');
        return computer?.temporarilyOffline === true && computer.offlineCauseReason === 'davit:survivor';
      });

      await waitsBecause('patient', '‘survivor’ is offline');
      await client.toggleOffline('survivor', '');
      expect(await concluded('patient')).toBe('SUCCESS');
    });
  });
}
