import { openClusters } from '../../adapters/kubernetes/open-clusters.ts';
import type { Config } from '../../core/config/config.ts';
import { agentNameOf, apiLaunchId, labelsOf } from '../../core/launch/names.ts';
import { newRecord, planLaunch } from '../../core/launch/plan-launch.ts';
import { SweepInput, sweep } from '../../functions/sweep/sweep.ts';
import type { SweepDeps } from '../../functions/sweep/sweep-deps.ts';
import type { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { sweepLimits } from '../../functions/sweep/sweep-run.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { create } from '../prove/cluster/node-objects.ts';
import { until } from '../prove/cluster/until.ts';
import { byKubeconfig } from '../support/by-kubeconfig.ts';
import { damageStored } from '../support/damage-record.ts';
import { fixedSecrets } from '../support/fixed-secrets.ts';
import { askForSweep } from './ask-for-sweep.ts';
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

/** Runs a sweep with a clock that is seven hours ahead. */
async function sweepInSevenHours({ config, runtime, kubeconfig }: DavitAnywhere): Promise<SweepReport> {
  const { invokeLater } = runtime.ports;
  const deps: SweepDeps = {
    ...runtime.ports,
    invokeLater: async (functionName, event) => {
      if (functionName === 'clean-up') await invokeLater(functionName, event);
    },
    clusters: config.clusters.map(({ name }) => name),
    profiles: config.profiles,
    clusterStates: sqliteClusterStates(openStore(':memory:')),
    openCluster: openClusters(config.clusters, byKubeconfig(fixedSecrets(kubeconfig))),
    limits: sweepLimits,
    nowEpochMs: () => Date.now() + 7 * 3600 * 1000,
  };
  return sweep(deps, SweepInput.parse({}));
}

/** Waits until a launch's agent exists. */
async function connect(davit: DavitAnywhere, jobId: string, profile = 'linux') {
  const launchId = await davit.launches.request({ profile, jobId });
  const { token } = await davit.ci.registrationOf(agentNameOf(launchId), AbortSignal.timeout(90_000));
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

  test('starts a launch whose webhook died before it could', async () => {
    const launchId = apiLaunchId('accepted');
    const [profile] = davit.config.profiles;
    if (profile === undefined) throw new Error('the config has no profile');
    await davit.runtime.ports.launches.request(newRecord(planLaunch(profile, { launchId }, Date.now())));

    const early = await askForSweep(davit);
    const report = await askForSweep(davit, { graceSeconds: 0 });
    const { status } = await davit.launches.until(launchId, 'connected', 'failed');

    expect(early.findings).toEqual([]);
    expect(report.findings).toEqual([{ kind: 'Launch', launchId, reason: 'NeverStarted', outcome: 'started' }]);
    expect(status).toBe('connected');
    await davit.launches.end(launchId);
    await davit.launches.until(launchId, 'terminated');
  });

  test('spares the objects of an unknown launch until they are older than any launch in flight', async () => {
    await putService(davit, 'api-nobodys');

    const now = await askForSweep(davit);
    const inTime = await sweepInSevenHours(davit);

    expect(now).toMatchObject({ findings: [], spared: { YoungUnknown: 1 } });
    expect(inTime.findings).toMatchObject([{ name: 'davit-api-nobodys', reason: 'LaunchUnknown', outcome: 'deleted' }]);
    await davit.history.untilNothingIsLeft();
  });

  // The last test: it leaves a damaged record.
  test('reports a launch with a damaged record, as GET /launches does, and spares its agent and all others', async () => {
    const { launchId: damaged } = await connect(davit, 'damaged');
    const { launchId: live } = await connect(davit, 'also live');
    const { launchId: over } = await connect(davit, 'also over');
    await davit.launches.end(over);
    await davit.launches.until(over, 'terminated');
    await putService(davit, over);
    damageStored(davit.stateDirectory, damaged);

    const report = await askForSweep(davit);
    const inSevenHoursToo = await sweepInSevenHours(davit);
    const { body: listed } = await davit.launches.get('/launches?status=launching,connected,cleaning');

    const why = expect.stringMatching(/plan: Invalid input: expected object, received string/);
    const errors = [
      { subject: `launch ${damaged}`, message: expect.stringMatching(/^its record cannot be read: .*plan:/) },
    ];
    const name = agentNameOf(over);
    expect(report).toMatchObject({ complete: false, findings: [{ name, reason: 'LaunchOver', outcome: 'deleted' }] });
    expect(report.errors).toEqual(errors);
    expect(inSevenHoursToo).toMatchObject({ findings: [], errors });
    expect(listed).toMatchObject({ launches: [{ launchId: live }], unreadable: [{ launchId: damaged, why }] });
    for (const agent of [damaged, live].map((launchId) => agentNameOf(launchId))) {
      expect(await davit.history.left()).toEqual(expect.arrayContaining([`Service ${agent}`, `Pod ${agent}`]));
    }
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
