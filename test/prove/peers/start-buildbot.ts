import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import { freePort } from '../../support/free-port.ts';
import { apply } from '../cluster/apply.ts';
import { createAccount } from '../cluster/davit-account.ts';
import { run } from '../cluster/run.ts';
import { buildbotFolder, type InstalledBuildbot } from './buildbot/install-buildbot.ts';
import { startController } from './controller.ts';
import { jobScript, startScript } from './recorder.ts';
import { agentPod, connectSeconds, type System, type SystemInput } from './system.ts';

const namespace = 'buildbot';
const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ 'certificate-authority-data': z.string() }) })]),
  users: z.tuple([z.object({ user: z.object({ token: z.string() }) })]),
});

/** Starts a Buildbot master, which is the source of its jobs, too: a change, by its hook or in its Git repository, is one. */
export async function startBuildbot(installed: InstalledBuildbot, input: SystemInput): Promise<System> {
  await using started = new AsyncDisposableStack();
  const { cluster, directory, usage, recorderUrl } = input;
  const { hostIp } = cluster;
  const place = (name: string) => join(directory, name);
  const repository = await makeRepository(place('repository'));
  const { clusters, users } = Kubeconfig.parse(parse(await setUpBuildbot(input)));
  await writeFile(place('ca.pem'), Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64'));
  const [port, pbPort] = [await freePort(hostIp), await freePort(hostIp)];
  const url = `http://${hostIp}:${port}/`;
  const { virtualenv, pythonFolder } = installed;
  const twistd = join(virtualenv, 'bin', 'twistd');
  const python = join(virtualenv, 'bin', 'python');
  const agentCommand = [python, twistd, '--pidfile=', '--nodaemon', '--python', join(buildbotFolder, 'worker.tac')];
  const settings = {
    url,
    host: hostIp,
    port,
    pbPort,
    apiUrl: cluster.apiUrl,
    token: users[0].user.token,
    namespace,
    workers: input.mostAgents,
    image: input.image,
    missingTimeout: connectSeconds,
    repository,
    job: jobScript(recorderUrl),
    mounts: [...new Set([virtualenv, buildbotFolder, pythonFolder, '/usr/lib', '/lib', '/lib64'])],
    command: ['/bin/sh', '-c', `${startScript(recorderUrl)}; exec ${agentCommand.join(' ')}`],
    ...agentPod,
  };
  await run(python, [
    join(virtualenv, 'bin', 'buildbot'),
    'create-master',
    '--quiet',
    '--no-logrotate',
    place('master'),
  ]);
  await copyFile(join(buildbotFolder, 'master.cfg'), place('master/master.cfg'));
  await writeFile(place('master/settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const controller = started.use(
    await startController(
      {
        program: python,
        args: [twistd, '--pidfile=', '--nodaemon', '--no_save', '--python', 'buildbot.tac'],
        directory: place('master'),
        // Python's TLS knows no other way to trust the API server.
        env: { SSL_CERT_FILE: place('ca.pem') },
        readyUrl: `${url}api/v2/builders`,
      },
      usage,
    ),
  );
  const running = started.move();
  return {
    namespace,
    request: async (job) => {
      const change = { author: 'peers', comments: job, revision: job, branch: 'main', project: 'peers' };
      const answer = await fetch(`${url}change_hook/base`, { method: 'POST', body: new URLSearchParams(change) });
      if (!answer.ok) throw new Error(`the change hook answered ${answer.status}: ${await answer.text()}`);
    },
    requestUnheard: (job) => commit(repository, job),
    kill: () => controller.end('SIGKILL'),
    start: () => controller.start(),
    restartSource: async (awayMs) => {
      await controller.end('SIGTERM');
      await sleep(awayMs);
      await controller.start();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Makes an account that may do with Pods what the latent worker does. @returns its kubeconfig */
async function setUpBuildbot({ cluster, api }: SystemInput): Promise<string> {
  await apply(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const rules = [{ apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['get', 'create', 'delete'] }];
  return createAccount(cluster, api, { name: 'buildbot', namespace }, rules);
}

/** Makes a Git repository without a working tree, and with one commit. */
async function makeRepository(path: string): Promise<string> {
  await run('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', path]);
  await commit(path, 'first');
  return path;
}

/** Commits an empty tree, with a job's name as the message. */
async function commit(repository: string, message: string): Promise<void> {
  const by = ['-c', 'user.name=peers', '-c', 'user.email=peers@davit.dev'];
  const git = async (...args: string[]) => (await run('git', ['-C', repository, ...by, ...args])).trim();
  const tree = await git('hash-object', '-w', '-t', 'tree', '/dev/null');
  const parent = await git('for-each-ref', '--format=%(objectname)', 'refs/heads/main');
  const made = await git('commit-tree', tree, ...(parent === '' ? [] : ['-p', parent]), '-m', message);
  await git('update-ref', 'refs/heads/main', made);
}
