import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../core/config/config.ts';
import { readConfig } from '../core/config/read-config.ts';
import { printable } from '../core/printable.ts';
import { davitVersion } from '../core/version.ts';
import { agentImages, runnerImages } from './agent/image.ts';
import { accessLine } from './gateway/access-line.ts';
import type { RuntimeArguments } from './runtime/arguments.ts';
import { installationIdFile, keptInstallationId } from './runtime/installation-id.ts';
import {
  givenKubeconfigs,
  giveSecrets,
  localConfigOf,
  readSecretFiles,
  unusedSecrets,
} from './runtime/local-secrets.ts';
import { useContexts } from './runtime/named-contexts.ts';
import { openOutputLog } from './runtime/output-log.ts';
import { makePrivateDirectory } from './runtime/private-directory.ts';
import { renewRegularly } from './runtime/renew-regularly.ts';
import { showPlaces } from './runtime/runtime-places.ts';
import { type LocalCluster, saveKubeconfig, startSandbox } from './runtime/start-cluster.ts';
import { localServiceName, startRuntime } from './runtime/start-runtime.ts';
import { sweepLines } from './runtime/sweep-lines.ts';
import { untilInterrupted } from './runtime/until-interrupted.ts';
import { useServiceAccount } from './runtime/use-service-account.ts';
import type { MetricsExport } from './telemetry/export-metrics.ts';
import { type OtlpSettings, readOtlpSettings } from './telemetry/otlp-settings.ts';

/** @throws Error when davit cannot listen at `--metrics-listen` */
async function startExport(
  otlp: OtlpSettings | undefined,
  listen: RuntimeArguments['metrics-listen'],
  stateDirectory: string,
): Promise<MetricsExport | undefined> {
  if (otlp === undefined && listen === undefined) return undefined;
  // A davit that exports no metrics starts without OpenTelemetry's modules.
  const { exportMetrics } = await import('./telemetry/export-metrics.ts');
  await makePrivateDirectory(stateDirectory);
  return exportMetrics({
    otlp,
    listen,
    serviceName: localServiceName,
    serviceVersion: davitVersion,
    serviceInstanceId: await keptInstallationId(join(stateDirectory, installationIdFile)),
    report: (line) => console.error(line),
    nowEpochMs: Date.now,
  });
}

/**
 * Finds the cluster that the options and KUBECONFIG name.
 *
 * @returns undefined for the sandbox
 * @throws Error for options that exclude each other, and of the cluster's kubeconfig or account
 */
async function findCluster(
  options: RuntimeArguments,
  config: Config,
  stateDirectory: string,
): Promise<LocalCluster | undefined> {
  const path = process.env['KUBECONFIG'] ?? '';
  const isInCluster = options['in-cluster'];
  if (options.cluster.length > 0 && path === '') {
    throw new Error('--cluster: needs KUBECONFIG, the file that has the context');
  }
  if (isInCluster && path !== '')
    throw new Error('--in-cluster: KUBECONFIG names another cluster; give further ones by --secret');
  if (!isInCluster && path === '') return undefined;
  if (options['public-url'] === undefined) {
    throw new Error(
      `--public-url is needed with ${isInCluster ? '--in-cluster' : 'KUBECONFIG'}: Pods cannot reach this loopback`,
    );
  }
  return isInCluster ? useServiceAccount(stateDirectory) : useContexts(path, options.cluster, config);
}

/** Runs davit on this machine until the user interrupts it. */
export async function run(options: RuntimeArguments): Promise<void> {
  const stateDirectory = resolve(options.state);
  const publicUrl = options['public-url'];
  const contexts = options.cluster;
  const otlp = readOtlpSettings(options.otlp, process.env);
  const config = await readConfig(options.config);
  for (const warning of unusedSecrets(config, options.secret)) console.error(warning);
  const secrets = await readSecretFiles(options.secret);
  const images = { ...agentImages(), ...runnerImages(process.env['PATH'] ?? '') };

  await using resources = new AsyncDisposableStack();
  const found = await findCluster(options, config, stateDirectory);
  const cluster = found ?? resources.use(await startSandbox(config, stateDirectory, { images }));
  const metrics = resources.use(await startExport(otlp, options['metrics-listen'], stateDirectory));
  const runtime = resources.use(
    await startRuntime({
      config,
      cluster,
      stateDirectory,
      listen: options.listen,
      secrets,
      ...(options['in-cluster'] ? { log: openOutputLog((lines) => process.stdout.write(lines)) } : {}),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(metrics === undefined ? {} : { onOutput: (_name, lines) => metrics.take(lines) }),
      onAccess: (entry) => console.log(`${time()} ${accessLine(entry)}`),
      onTrouble: (line) => console.log(printable(`${time()} trouble  ${line}`)),
      onSwept: (report) => {
        for (const line of sweepLines(report)) console.log(printable(`${time()} sweep    ${line}`));
      },
    }),
  );
  if ('sandbox' in cluster || options['in-cluster']) await saveKubeconfig(cluster);
  if (options.secret.length > 0) {
    const names = options.secret.map(({ name }) => name);
    resources.use(
      renewRegularly(names, async () => giveSecrets(runtime.secrets, await readSecretFiles(options.secret))),
    );
  }
  resources.defer(
    runtime.onExecutionEvent((event) => {
      const { launchId } = event;
      if (event.type === 'entered') console.log(`${time()} launch   ${launchId} ${event.state}`);
      if (event.type !== 'ended') return;
      const how = event.status === 'SUCCEEDED' ? 'connected' : `failed: ${event.cause ?? event.status}`;
      console.log(printable(`${time()} launch   ${launchId} ${how}`));
    }),
  );

  if (options.events) {
    const stop = runtime.eventBus.onEvent((event) =>
      console.log(`${time()} event    ${event.source} ${event['detail-type']} ${JSON.stringify(event.detail)}`),
    );
    resources.defer(stop);
  }

  const saveSecret = async (name: string, secret: string): Promise<string> => {
    const path = join(stateDirectory, name);
    await writeFile(path, secret, { mode: 0o600 });
    return path;
  };
  // The reader of these lines may interrupt davit as soon as it has the last one.
  const interrupted = untilInterrupted();
  console.log(`davit listens at ${runtime.url}; Pods reach it at ${runtime.publicUrl}`);
  for (const { name, webhookSecret } of config.ciSystems) {
    if (webhookSecret === undefined) continue;
    const secretPath = await saveSecret(`webhook-secret-${name}`, await runtime.webhookSecret(name));
    console.log(`  webhooks     POST ${runtime.publicUrl}/webhooks/${name}, signed with the secret in ${secretPath}`);
  }
  const given = options.secret.map(({ name }) => name);
  const kubeconfigSecrets = givenKubeconfigs(localConfigOf(config), given);
  resources.defer(await showPlaces(runtime, { cluster, contexts, kubeconfigSecrets }, stateDirectory));
  if (options.scope.length > 0) await makeWebhooks(options);
  // Others read a Pod's log.
  if (!options['in-cluster']) {
    console.log(`  launches     curl -H 'Authorization: Bearer ${runtime.launchesToken}' ${runtime.url}/launches`);
  }
  const current = contexts.length === config.clusters.length ? [] : [''];
  for (const option of [...current, ...contexts.map(({ context }) => ` --context ${context}`)]) {
    console.log(`  cluster      kubectl --kubeconfig ${cluster.kubeconfigPath}${option} get services,pods -A`);
  }
  console.log('  sweep        every minute; `davit sweep --dry-run` shows what it would do');
  if (otlp !== undefined) console.log(`  metrics      to ${otlp.url}, every ${otlp.intervalMs / 1000} s`);
  if (metrics?.url !== undefined) console.log(`  metrics      ${metrics.url}/metrics, for Prometheus`);
  if (!options['in-cluster']) console.log(`  logs         ${join(stateDirectory, 'logs')}`);
  console.log(`${await interrupted}: stopping; the next start continues the launches that are under way`);
}

/**
 * Runs `davit webhook` as a person does in another terminal: the command line is no part of the runtime. davit runs all the
 * same if a webhook cannot be made.
 */
async function makeWebhooks({ config, state, scope }: RuntimeArguments): Promise<void> {
  const davit = fileURLToPath(new URL(`../cli/davit${extname(import.meta.url)}`, import.meta.url));
  const owners = scope.flatMap((owner) => ['--scope', owner]);
  const { DAVIT_URL: _url, DAVIT_STACK: _stack, ...env } = process.env;
  const args = [davit, 'webhook', '--config', config, '--state', state, ...owners];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  const [code] = await once(child, 'exit');
  if (code !== 0) console.error('davit runs without them: make them later by `davit webhook --scope OWNER`');
}

function time(): string {
  return new Date().toISOString();
}
