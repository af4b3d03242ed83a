import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readConfig } from '../config/read-config.ts';
import { agentImages } from './agent/image.ts';
import type { AccessLogEntry } from './gateway/gateway-server.ts';
import { LOCAL_REGION } from './lambda/function-name.ts';
import { type RuntimeArguments, readRuntimeArguments, runtimeHelp } from './runtime/arguments.ts';
import { saveKubeconfig, startSandbox, useKubeconfig } from './runtime/start-cluster.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import { sweepLines } from './runtime/sweep-lines.ts';
import { untilInterrupted } from './runtime/until-interrupted.ts';

/** A text file often ends in a line break that is no part of the secret. */
async function readSecrets(files: RuntimeArguments['secret']): Promise<Record<string, string>> {
  const read = files.map(async ({ name, file }) => [name, (await readFile(file, 'utf8')).replace(/\r?\n$/, '')]);
  return Object.fromEntries(await Promise.all(read));
}

/** Runs davit on this machine until it is interrupted. */
async function run(options: RuntimeArguments): Promise<void> {
  const stateDirectory = resolve(options.state);
  const publicUrl = options['public-url'];
  const kubeconfigPath = process.env['KUBECONFIG'];
  const config = await readConfig(options.config);

  await using resources = new AsyncDisposableStack();
  const cluster =
    kubeconfigPath === undefined || kubeconfigPath === ''
      ? resources.use(await startSandbox(config, stateDirectory, { images: agentImages() }))
      : await useKubeconfig(kubeconfigPath);
  if (!('sandbox' in cluster) && publicUrl === undefined) {
    throw new Error('--public-url is needed with KUBECONFIG: Pods of that cluster cannot reach this loopback');
  }
  const runtime = resources.use(
    await startRuntime({
      config,
      cluster,
      stateDirectory,
      listen: options.listen,
      secrets: await readSecrets(options.secret),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(options.bundles === undefined ? {} : { bundles: options.bundles }),
      onAccess: (entry) => console.log(accessLine(entry)),
      onSwept: (report) => {
        for (const line of sweepLines(report)) console.log(`${time()} sweep    ${line}`);
      },
    }),
  );
  if ('sandbox' in cluster) await saveKubeconfig(cluster);
  resources.defer(
    runtime.onExecutionEvent(
      ({ type, stateEnteredEventDetails: entered, executionFailedEventDetails: failed }, { name }) => {
        if (entered?.name !== undefined) console.log(`${time()} launch   ${name} ${entered.name}`);
        if (type === 'ExecutionSucceeded') console.log(`${time()} launch   ${name} connected`);
        if (failed !== undefined) console.log(`${time()} launch   ${name} failed: ${failed.cause}`);
      },
    ),
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
  console.log(`davit listens at ${runtime.url}; Pods reach it at ${runtime.publicUrl}`);
  for (const { name } of config.ciSystems) {
    const secretPath = await saveSecret(`webhook-secret-${name}`, await runtime.webhookSecret(name));
    console.log(`  webhooks     POST ${runtime.publicUrl}/webhooks/${name}, signed with the secret in ${secretPath}`);
  }
  await saveSecret('launches-token', runtime.launchesToken);
  const keyPath = await saveSecret('secret-access-key', runtime.services.secretAccessKey);
  console.log(`  launches     curl -H 'Authorization: Bearer ${runtime.launchesToken}' ${runtime.url}/launches`);
  console.log(`  cluster      kubectl --kubeconfig ${cluster.kubeconfigPath} get services,pods -A`);
  console.log(
    `  sweep        every minute; curl --aws-sigv4 aws:amz:${LOCAL_REGION}:lambda --user "you:$(cat ${keyPath})" ` +
      `${runtime.sweepUrl} -d '{"dryRun":true}' shows what it would do`,
  );
  console.log(`  logs         ${join(stateDirectory, 'logs')}`);
  console.log(`${await untilInterrupted()}: stopping; launches that are under way go on at the next start`);
}

function accessLine({ method, path, status, durationMs, integrationError }: AccessLogEntry): string {
  return `${time()} http     ${method} ${path} → ${status} (${durationMs} ms)${integrationError ? ` ${integrationError}` : ''}`;
}

function time(): string {
  return new Date().toISOString();
}

// Files and directories of a run are this user's alone, also for an instant.
process.umask(0o077);
try {
  const options = readRuntimeArguments(process.argv.slice(2));
  if (options === 'help') console.log(runtimeHelp);
  else await run(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
