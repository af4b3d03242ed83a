import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../../core/config/read-config.ts';
import { containerCommand } from '../../../local/agent/image.ts';
import { createGithubHook, deliveredJob } from '../../../local/github/github-hook.ts';
import type { GithubJob } from '../../../local/github/github-state.ts';
import { createGithubWebhooks } from '../../../local/github/github-webhooks.ts';
import { startGithub } from '../../../local/github/start-github.ts';
import { freePort } from '../../support/free-port.ts';
import { namespace } from '../cluster/credentials.ts';
import { root } from '../cluster/run.ts';
import { setUpDavit } from '../on-cluster/davit-identity.ts';
import { startController } from './controller.ts';
import { startCuttableRelay } from './cuttable-relay.ts';
import { jobScript, startScript } from './recorder.ts';
import { agentPod, connectSeconds, type System, type SystemInput } from './system.ts';

/**
 * The local GitHub fails a job this long after its runner died. GitHub takes about ten minutes. davit runs a job again only
 * if its sweep, every two minutes, and then its reconcile, every minute, have seen the loss before.
 */
const noticesLostAfterMs = 270_000;

const lookMs = 1000;
const organization = 'acme';
/** Nothing listens at this address: GitHub lists a delivery there as failed. */
const deadUrl = 'http://127.0.0.1:1/';

/** Starts davit as `npm run local` does, as a GitHub App of the local GitHub, with the rights of `npx davit rbac`. */
export async function startDavit(input: SystemInput): Promise<System> {
  await using started = new AsyncDisposableStack();
  const { cluster, api, directory, usage, isDead } = input;
  const { hostIp } = cluster;
  const problems: unknown[] = [];
  const webhookSecret = randomBytes(24).toString('base64url');
  const port = await freePort(hostIp);
  const url = `http://${hostIp}:${port}`;
  const webhooks = createGithubWebhooks(`${url}/webhooks/github`, webhookSecret);
  const lostWebhooks = createGithubWebhooks(deadUrl, webhookSecret);
  let isHeard = true;
  const deliver = (job: GithubJob, action: 'queued' | 'in_progress' | 'completed') => {
    const delivered = hook.deliver(deliveredJob(github, job), action);
    return delivered.catch((error: unknown) => problems.push(error));
  };

  const github = await startGithub({
    organizations: [organization],
    listen: hostIp,
    onJob: (job, action) => void deliver(job, action),
    onFailure: (error) => problems.push(error),
  });
  started.defer(() => github.stop());
  const relay = started.use(await startCuttableRelay(hostIp, github.port));
  // Its runners reach it there, too.
  Object.assign(github, { url: relay.url });
  const hook = createGithubHook(github, () => (isHeard ? webhooks : lostWebhooks));

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const place = (name: string) => join(directory, name);
  await writeFile(place('davit.yaml'), JSON.stringify(configOf(relay.url, input)));
  await writeFile(place('app-key'), pem, { mode: 0o600 });
  await writeFile(place('webhook-secret'), webhookSecret, { mode: 0o600 });
  const config = await readConfig(place('davit.yaml'));
  await writeFile(place('kubeconfig'), await setUpDavit(api, cluster.apiUrl, config), { mode: 0o600 });
  const secrets = ['davit-app-key=app-key', 'davit-webhook-github=webhook-secret'].flatMap((each) => [
    '--secret',
    each,
  ]);
  const controller = started.use(
    await startController(
      {
        program: process.execPath,
        // As in `npm run local`.
        args: [
          '--import',
          join(root, 'local/enable-compile-cache.mjs'),
          join(root, 'local/main.ts'),
          '--config',
          'davit.yaml',
          '--state',
          'state',
          ...secrets,
          '--listen',
          `${hostIp}:${port}`,
          '--public-url',
          url,
        ],
        directory,
        env: { KUBECONFIG: place('kubeconfig') },
        readyUrl: `${url}/readyz`,
      },
      usage,
    ),
  );

  const diedAtMs = new Map<number, number>();
  const failLostJobs = () => {
    for (const job of github.state.jobs.filter(({ status }) => status === 'in_progress')) {
      if (!isDead(job.name)) continue;
      const diedMs = diedAtMs.get(job.id) ?? performance.now();
      diedAtMs.set(job.id, diedMs);
      const runner = github.state.runners.get(job.runnerId ?? 0);
      if (runner !== undefined && performance.now() - diedMs > noticesLostAfterMs) github.state.complete(runner, false);
    }
  };
  const noticing = setInterval(failLostJobs, lookMs);
  started.defer(() => clearInterval(noticing));

  let repositories = 0;
  const queue = async (name: string) => {
    repositories += 1;
    const steps = [`set -- ${name}; ${jobScript(input.recorderUrl)}`];
    github.state.queueRun(organization, `app-${repositories % 5}`, [{ name, labels: ['linux'], steps }]);
  };
  const running = started.move();
  return {
    namespace,
    request: queue,
    requestUnheard: async (job) => {
      isHeard = false;
      await queue(job);
      isHeard = true;
    },
    kill: () => controller.end('SIGKILL'),
    start: () => controller.start(),
    restartSource: (awayMs) => relay.cut(awayMs),
    [Symbol.asyncDispose]: async () => {
      await running.disposeAsync();
      for (const problem of problems) process.stderr.write(`local GitHub: ${String(problem)}\n`);
    },
  };
}

/** davit.yaml: each setting that is not here has its default. */
function configOf(githubUrl: string, { image, recorderUrl }: SystemInput): object {
  const env = [
    ...agentPod.env,
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'AGENT_PORT', value: '8811' },
  ];
  const command = ['/bin/sh', '-c', `${startScript(recorderUrl)}; exec ${containerCommand.join(' ')}`];
  return {
    clusters: [{ name: 'real', kubeconfigSecret: 'davit-kubeconfig-real' }],
    ciSystems: [
      {
        name: 'github',
        provider: 'github',
        url: githubUrl,
        webhookSecret: 'davit-webhook-github',
        app: { id: 1, privateKeySecret: 'davit-app-key' },
      },
    ],
    profiles: [
      {
        name: 'linux',
        labels: ['linux'],
        clusters: ['real'],
        namespace,
        runner: 'github',
        rerunWhenLost: true,
        deadlines: { connectSeconds },
        template: {
          spec: {
            ...agentPod.spec,
            containers: [{ name: 'agent', image, command, env, resources: agentPod.resources }],
          },
        },
      },
    ],
  };
}
