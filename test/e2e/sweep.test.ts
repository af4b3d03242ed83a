import type { Config } from '../../core/config/config.ts';
import { agentNameOf, labelsOf } from '../../core/launch/names.ts';
import { create } from '../prove/cluster/node-objects.ts';
import { until } from '../prove/cluster/until.ts';
import { askForSweep } from './ask-for-sweep.ts';
import { registration } from './jobs.ts';
import { type DavitAnywhere, startAnywhere } from './start-anywhere.ts';

const services = '/api/v1/namespaces/davit-agents/services';
const goneMs = 60_000;

/** Creates a Service of a launch, as a process that died right afterwards leaves it. */
async function putService(
  { api }: DavitAnywhere,
  launchId: string,
  name = agentNameOf(launchId),
  managedBy = 'davit',
): Promise<void> {
  const labels = labelsOf({ launchId, agentName: agentNameOf(launchId), profile: 'linux' });
  await create(api, services, {
    metadata: { name, labels: { ...labels, 'app.kubernetes.io/managed-by': managedBy } },
    spec: { type: 'NodePort', ports: [{ port: 8811 }] },
  });
}

/** Waits until a launch's agent exists. */
async function connect(davit: DavitAnywhere, jobId: string, profile = 'linux') {
  const launchId = await davit.launches.request({ profile, jobId });
  const { token } = await registration(davit, { agentName: agentNameOf(launchId) });
  return { launchId, token };
}

describe('a requested sweep', () => {
  let davit: DavitAnywhere;
  beforeAll(async () => {
    davit = await startAnywhere();
  });
  afterAll(async () => {
    await davit[Symbol.asyncDispose]();
  });

  test("deletes the remains of a finished launch, after a dry run has shown them, and no one else's objects", async () => {
    const { launchId } = await connect(davit, 'over');
    await davit.launches.end(launchId);
    await davit.launches.until(launchId, 'terminated');
    const { launchId: live } = await connect(davit, 'live');
    await putService(davit, launchId);
    await putService(davit, launchId, 'of-somebody-else', 'somebody-else');

    const dry = await askForSweep(davit, { dryRun: true });
    const left = await davit.history.left();
    const report = await askForSweep(davit);
    const name = agentNameOf(launchId);
    // A cluster deletes an object a moment after it has accepted the request.
    await until(`${name} is gone`, goneMs, async () => !(await davit.history.left()).includes(`Service ${name}`));
    const others = await davit.api.send(`${services}/of-somebody-else`);
    await davit.api.send(`${services}/of-somebody-else`, { method: 'DELETE' });

    expect(dry).toMatchObject({ dryRun: true, findings: [{ name, reason: 'LaunchOver', outcome: 'found' }] });
    expect(left).toContain(`Service ${name}`);
    expect(report).toMatchObject({ complete: true, findings: [{ name, reason: 'LaunchOver', outcome: 'deleted' }] });
    expect((await davit.history.left()).toSorted()).toEqual([
      `Pod ${agentNameOf(live)}`,
      `Service ${agentNameOf(live)}`,
    ]);
    expect(others.body['metadata']).not.toHaveProperty('deletionTimestamp');
    expect(others.status).toBe(200);
    await davit.launches.end(live);
    await davit.launches.until(live, 'terminated');
  });
});

/** Adds profiles that limit their agents' lives. */
function withLimits(config: Config): Config {
  const profiles = config.profiles.flatMap((profile) => [
    profile,
    { ...profile, name: `${profile.name}-short`, maxAgentLifetimeSeconds: 1 },
    { ...profile, name: `${profile.name}-exits`, removeExitedAfterSeconds: 1 },
  ]);
  return { ...config, profiles };
}

describe('regular sweeps', () => {
  let davit: DavitAnywhere;
  beforeAll(async () => {
    davit = await startAnywhere({ changeConfig: withLimits, sweepIntervalMs: 250 });
  });
  afterAll(async () => {
    await davit[Symbol.asyncDispose]();
  });

  test("end an agent that has reached its profile's lifetime", async () => {
    const { launchId } = await connect(davit, 'short', 'linux-short');

    const { status, ending } = await davit.launches.until(launchId, 'failed', 'terminated');

    expect({ status, ...ending }).toMatchObject({ status: 'failed', code: 'AgentLifetimeExceeded', by: 'the sweep' });
    await davit.history.untilNothingIsLeft();
  });

  test("remove an agent that has exited, even without its job's `completed`", async () => {
    const { launchId, token } = await connect(davit, 'exits', 'linux-exits');

    // The agent is gone before it can report the step's end.
    await Promise.allSettled([davit.ci.run(token, { run: ['sh', '-c', 'kill $PPID'] })]);
    const { status, ending } = await davit.launches.until(launchId, 'failed', 'terminated');

    expect({ status, ...ending }).toMatchObject({ status: 'terminated', code: 'Terminated', by: 'the agent exited' });
    await davit.history.untilNothingIsLeft();
  });

  test('leave a working agent alone', async () => {
    const { launchId, token } = await connect(davit, 'works', 'linux-exits');

    const { output } = await davit.ci.run(token, { run: ['sh', '-c', 'sleep 3; echo built'] });

    expect(output).toBe('built\n');
    expect(await davit.launches.show(launchId)).toMatchObject({ status: 'connected' });
    await davit.launches.end(launchId);
    await davit.history.untilNothingIsLeft();
  });
});
