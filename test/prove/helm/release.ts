import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Exec, KubeConfig } from '@kubernetes/client-node';
import * as z from 'zod';
import { createGithubWebhooks, type GithubWebhooks } from '../../../local/github/github-webhooks.ts';
import { runProcess } from '../../../scripts/run-process.ts';
import type { ApiClient } from '../../contract/api-client.ts';
import { createLaunchesClient, type LaunchesClient } from '../../support/launches-client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { buildHelm } from '../cluster/programs/programs.ts';
import { root } from '../cluster/run.ts';

/** The chart's folder. */
export const chart = join(root, 'charts', 'davit');

/** A program's exit code and everything that it printed. */
export interface Ran {
  exitCode: number | null;
  output: string;
}

/** Runs helm. @param values the chart's values, as a file */
export async function helm(args: readonly string[], values?: object, env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const program = await buildHelm();
  const directory = await mkdtemp(join(tmpdir(), 'davit-helm-'));
  try {
    const file = join(directory, 'values.json');
    if (values !== undefined) await writeFile(file, JSON.stringify(values));
    const given = values === undefined ? [] : ['--values', file];
    return await runProcess(program, [...args, ...given], { cwd: root, env: { ...process.env, ...env } });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The objects of the chart with these values, as JSON. @throws Error with helm's output when it refuses them */
export async function rendered(values: object, release = 'davit', namespace = release): Promise<string> {
  const args = ['template', release, chart, '--namespace', namespace, '--kube-version', '1.34.0'];
  const { exitCode, output } = await helm(args, values);
  if (exitCode !== 0) throw new Error(output);
  return output;
}

/** A release of the chart, named `davit`, in the namespace `davit`. */
export interface Release {
  /** Runs helm with these arguments on the cluster. @throws Error with its output when it fails */
  helm(args: readonly string[], values?: object): Promise<string>;
  /** Runs a command in davit's Pod. @returns its output @throws Error when its exit code is not 0 */
  exec(...command: string[]): Promise<string>;
  /** What a CI system and an agent's owner use, of the davit that runs now. */
  open(): Promise<{ github: GithubWebhooks; launches: LaunchesClient }>;
  /** The node of davit's Pod. */
  node(): Promise<string>;
}

/** The names of the release and of its namespace. */
export const releaseName = 'davit';

const PodShown = z.object({ spec: z.object({ nodeName: z.string() }), status: z.object({ podIP: z.string() }) });

/**
 * Opens the release on a cluster.
 *
 * @param volume the directory of this machine that is davit's volume
 */
export function releaseOn(cluster: Cluster, api: ApiClient, volume: string): Release {
  const pod = async () =>
    PodShown.parse((await api.send(`/api/v1/namespaces/${releaseName}/pods/${releaseName}-0`)).body);
  const kept = async (name: string) => (await readFile(join(volume, '.davit', name), 'utf8')).trim();
  return {
    helm: async (args, values) => {
      const ran = await helm(['--namespace', releaseName, ...args], values, { KUBECONFIG: cluster.kubeconfigPath });
      if (ran.exitCode !== 0) throw new Error(`helm ${args.join(' ')}: exit code ${ran.exitCode}\n${ran.output}`);
      return ran.output;
    },
    exec: (...command) => execIn(cluster.kubeconfig, command),
    open: async () => {
      const url = `http://${(await pod()).status.podIP}:8080`;
      return {
        github: createGithubWebhooks(`${url}/webhooks/github`, await kept('webhook-secret-github')),
        launches: createLaunchesClient(url, await kept('launches-token')),
      };
    },
    node: async () => (await pod()).spec.nodeName,
  };
}

/** Runs a command in davit's container, as `kubectl exec` does. */
async function execIn(kubeconfig: string, command: string[]): Promise<string> {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const output = new PassThrough();
  const ended = Promise.withResolvers<string | undefined>();
  const done = ({ status, message }: { status?: string; message?: string }) =>
    ended.resolve(status === 'Success' ? undefined : (message ?? 'no message'));
  const printed = text(output);
  await new Exec(config).exec(releaseName, `${releaseName}-0`, 'davit', command, output, output, null, false, done);
  const problem = await ended.promise;
  output.end();
  if (problem !== undefined) throw new Error(`${command.join(' ')}: ${problem}\n${await printed}`);
  return printed;
}
