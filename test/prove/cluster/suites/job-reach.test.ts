import * as z from 'zod';
import { clusterObjects } from '../../../../cdk/rbac/cluster-objects.ts';
import { tokenIdentity } from '../../../../cdk/rbac/davit-identity.ts';
import { type Config, Profile } from '../../../../core/config/config.ts';
import { agentNameOf, type LaunchId } from '../../../../core/launch/names.ts';
import { deliveredJob } from '../../../../local/github/github-hook.ts';
import type { GithubJob, GithubRunner } from '../../../../local/github/github-state.ts';
import { createGithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import { jitConfigOf } from '../../../../local/github/jit-config.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';
import { type ApiClient, openApi } from '../../../contract/api-client.ts';
import { secretsOf, withGithub } from '../../../e2e/joining.ts';
import { type CheckedGithub, startCheckedGithub } from '../../ci/github/start-checked-github.ts';
import { apply } from '../apply.ts';
import { davitToken, kubeconfigOf } from '../davit-account.ts';
import { agentImage, idleImage } from '../images/images.ts';
import { dropPolicies, enforcePolicies } from '../nodes/enforce-policies.ts';
import { run } from '../run.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { type StepServer, startStepServer, stepRunner } from '../step-server.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const cluster = await openTestCluster();
const namespace = 'davit-reach';
const timeoutMs = 60_000;
/** A metadata service of the machine: any link-local address but a real one of this machine's. */
const linkLocal = '169.254.77.7';

let admin: ApiClient;
let github: CheckedGithub;
let steps: StepServer;
let metadata: LoopbackServer;
let davit: DavitOnCluster;
let agent: Agent;

/** A connected agent, and the job that it runs. */
interface Agent {
  launchId: LaunchId;
  name: string;
  job: GithubJob;
  runner: GithubRunner;
  podIp: string;
  /** Its credential, as whoever may read Pods reads it. */
  credential: string;
  run: (script: string) => Promise<string>;
}

beforeAll(async () => {
  admin = openApi(cluster.kubeconfig);
  github = await startCheckedGithub(['acme']);
  steps = await startStepServer(cluster.hostIp);
  await run('ip', ['address', 'add', `${linkLocal}/32`, 'dev', await bridgeOf(cluster.hostIp)]);
  for (const node of cluster.nodes) await cluster.runOn(node, 'ip', ['route', 'add', linkLocal, 'via', cluster.hostIp]);
  metadata = await startLoopbackServer((_request, response) => response.end('role'), { host: linkLocal });
  const kubeconfig = async (given: Config) => {
    for (const object of clusterObjects(given, 'sandbox', tokenIdentity, { maxStorage: '40Mi' }))
      await apply(admin, object);
    return kubeconfigOf(davitToken, cluster.apiUrl, admin);
  };
  davit = await startDavit(cluster, {
    changeConfig: withJobs,
    kubeconfig,
    secrets: secretsOf(github),
    sweepIntervalMs: 2000,
  });
  agent = await startAgent();
}, 180_000);
afterAll(async () => {
  await dropPolicies(cluster);
  await davit[Symbol.asyncDispose]();
  await metadata.stop();
  await steps[Symbol.asyncDispose]();
  await github.stop();
  admin[Symbol.dispose]();
});

/** A profile of GitHub's preset, as it is, whose image has a runner of the test's. */
function withJobs(config: Config): Config {
  const files = { name: 'runner', mountPath: '/runner' };
  const write = `cat >/runner/run.sh <<'END'\n${stepRunner}END\nchmod 755 /runner/run.sh`;
  const env = [{ name: 'STEPS_URL', value: steps.url }];
  const local = { imagePullPolicy: 'Never', volumeMounts: [files] };
  const profile = Profile.parse({
    name: 'jobs',
    labels: ['linux'],
    clusters: ['sandbox'],
    namespace,
    runner: 'github',
    egress: [`${cluster.hostIp}/32`],
    template: {
      spec: {
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: 'runner', emptyDir: {} }],
        initContainers: [{ ...local, name: 'write', image: idleImage, command: ['/bin/sh', '-c', write] }],
        containers: [{ ...local, name: 'agent', image: agentImage, workingDir: '/runner', env }],
      },
    },
  });
  return { ...withGithub(config, github), profiles: [profile] };
}

const PodObject = z.object({
  status: z.object({ podIP: z.string() }),
  spec: z.object({
    containers: z.array(
      z.object({
        env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
        resources: z.object({ limits: z.record(z.string(), z.string()) }),
      }),
    ),
  }),
});

async function readPod(name: string) {
  return PodObject.parse((await admin.send(`/api/v1/namespaces/${namespace}/pods/${name}`)).body);
}

/** Queues a job, launches its agent, and gives the agent the job once it has connected. */
async function startAgent(): Promise<Agent> {
  const hooks = createGithubWebhooks(`${davit.runtime.url}/webhooks/acme`, await davit.runtime.webhookSecret('acme'));
  const [job] = github.state.queueRun('acme', 'app', [{ name: 'build', labels: ['linux'], steps: [] }]);
  await hooks.deliver(deliveredJob(github, job), 'queued');
  const launchId = `acme-${github.state.repositoryIdOf('acme', 'app')}-${job.id}-1`;
  await davit.launches.until(launchId, 'connected');
  const runner = [...github.state.runners.values()].find((each) => each.name.endsWith(launchId));
  if (runner === undefined) throw new Error(`GitHub has no runner of ${launchId}`);
  github.state.assign(runner);
  const name = agentNameOf(launchId);
  const { status, spec } = await readPod(name);
  const credential = spec.containers.flatMap(({ env }) => env).find((each) => each.name === 'DAVIT_CREDENTIAL')?.value;
  const runStep = (script: string) => steps.run(name, script);
  return { launchId, name, job, runner, podIp: status.podIP, credential: credential ?? '', run: runStep };
}

/** Connects from inside a job, with a credential that somebody read in the Pod's spec. @returns the status */
function connectFromJob({ name, credential, run: inJob }: Agent): Promise<string> {
  const url = `${davit.runtime.url.replace('0.0.0.0', cluster.hostIp)}/agents/${name}/connect`;
  return inJob(
    `curl --silent --output /dev/null --write-out '%{http_code}' --request POST --header 'Authorization: Bearer ${credential}' ${url}`,
  );
}

/** Says from inside a job whether an address answers. */
const reach = (inJob: Agent, url: string) =>
  inJob.run(`curl --silent --max-time 3 --output /dev/null ${url} && echo reached || echo refused`);

async function bridgeOf(address: string): Promise<string> {
  const lines = (await run('ip', ['-oneline', '-4', 'address', 'show'])).split('\n');
  return lines.find((line) => line.includes(` ${address}/`))?.split(/\s+/)[1] ?? '';
}

describe('from inside a job', () => {
  test('no process has the registration or the credential in its environment or on its command line', async () => {
    const output = await agent.run('cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"');

    expect(output).toContain(`DAVIT_AGENT_NAME=${agent.name}`);
    expect(agent.credential.length).toBeGreaterThan(100);
    for (const secret of [agent.credential, agent.runner.secret, jitConfigOf(agent.runner, github.url), 'JITCONFIG=']) {
      expect(output).not.toContain(secret);
    }
  });

  test("no file has the credential or the registration, but for the files that GitHub's runner keeps", async () => {
    const filesWith = async (secret: string) => {
      const others = '\\( -path /proc -o -path /sys -o -path /tmp/step \\) -prune';
      const output = await agent.run(`find / ${others} -o -type f -exec grep -l -e '${secret}' {} + 2>/dev/null`);
      return output.split('\n').filter((line) => line !== '');
    };

    expect((await filesWith('STEPS_URL')).length).toBeGreaterThan(0);
    expect(await filesWith(agent.credential)).toEqual([]);
    expect(await filesWith(jitConfigOf(agent.runner, github.url))).toEqual([]);
    expect((await filesWith(agent.runner.secret)).toSorted()).toEqual([
      '/runner/.credentials',
      '/runner/.credentials_rsaparams',
    ]);
  });

  test('there is no token of a service account', async () => {
    expect(
      await agent.run('ls -d /var/run/secrets/kubernetes.io /run/secrets/kubernetes.io 2>&1 | grep -v "No such"'),
    ).toBe('');
  });

  test('the credential buys 410 while its runner has a job, and when the runner is gone', async () => {
    const hooks = createGithubWebhooks(`${davit.runtime.url}/webhooks/acme`, await davit.runtime.webhookSecret('acme'));
    const spent = await startAgent();

    expect(await connectFromJob(spent)).toBe('410');
    await hooks.deliver(deliveredJob(github, spent.job), 'in_progress');
    github.state.complete(spent.runner, true);
    expect(await connectFromJob(spent)).toBe('410');
    expect([...github.state.runners.values()].filter(({ name }) => name === spent.runner.name)).toEqual([]);
  });

  test('the disk ends at the bound of the namespace: a job that fills it is evicted, and its node goes on', async () => {
    const filler = await startAgent();
    const { spec } = await readPod(filler.name);

    void filler.run('dd if=/dev/zero of=/runner/fill bs=1M count=120');
    const { ending } = await davit.launches.until(filler.launchId, 'failed', 'terminated');

    expect(spec.containers.map(({ resources }) => resources.limits['ephemeral-storage'])).toEqual(['40Mi']);
    expect(ending?.message).toMatch(/ephemeral/);
    expect(await agent.run('echo goes on')).toBe('goes on\n');
  });

  test('the network ends at what the profile names: no link-local address, and no other agent', async () => {
    const other = await startAgent();
    await other.run('busybox httpd -p 8811 -h /tmp');
    const own = `http://${other.podIp}:8811/step`;
    // Without enforcement both answer: the refusals below are those of the policies.
    expect(await reach(agent, metadata.url)).toBe('reached\n');
    await until('the other agent listens', timeoutMs, async () => (await reach(agent, own)) === 'reached\n');

    await enforcePolicies(cluster, admin, namespace);

    expect(await reach(agent, metadata.url)).toBe('refused\n');
    expect(await reach(agent, own)).toBe('refused\n');
    expect(await reach(agent, cluster.apiUrl)).toBe('refused\n');
    expect(await reach(agent, davit.runtime.url)).toBe('reached\n');
  });
});

test('davit needs no right to Services where no profile exposes its agents: a launch goes and leaves nothing', async () => {
  const role = await admin.send(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/davit`);

  await davit.launches.end(agent.launchId);
  await davit.launches.until(agent.launchId, 'terminated', 'failed');

  expect(role.text).toContain('"pods"');
  expect(role.text).not.toContain('services');
  expect(await davit.left(agent.launchId)).toEqual([]);
});
