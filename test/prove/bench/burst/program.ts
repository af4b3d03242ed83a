/** A process of the burst: a sandbox, a davit, or the bare services. `startProgram` starts it. */
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { tokensTable } from '../../../../adapters/aws/table-definitions.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import type { Config } from '../../../../core/config/config.ts';
import { readConfig } from '../../../../core/config/read-config.ts';
import { type SandboxOptions, startSandbox } from '../../../../local/runtime/start-cluster.ts';
import { startRuntime } from '../../../../local/runtime/start-runtime.ts';
import { openStore, storeFile } from '../../../../local/store/open-store.ts';
import { startAwsRuntime } from '../../../support/aws/runtime/start-aws-runtime.ts';
import { isThrottledBy } from '../../../support/burst-trouble.ts';
import { listen } from '../../../support/listen.ts';
import { type ActingGithub, type BurstMessage, BurstOrder, type BurstStart, BurstStart as Start } from './messages.ts';

const image = 'davit.dev/pulled-for-ever';
const never = 2 ** 31 - 1;
const tokenSecret = 'burst-token';

/** A token's item, as the table's stream has it. */
const PublishedImage = z.object({ token: z.object({ M: z.object({ launchId: z.object({ S: z.string() }) }) }) });

const start = Start.parse(JSON.parse(process.argv[2] ?? ''));
// The parent process has ended.
process.on('disconnect', () => process.exit());
await run(start);

async function run(asked: BurstStart): Promise<void> {
  switch (asked.kind) {
    case 'sandbox':
      return sandbox(asked);
    case 'local':
      return local(asked);
    case 'aws':
      return onAws(asked);
    case 'bare':
      return bare(asked.directory);
  }
}

async function sandbox({ directory, images }: Extract<BurstStart, { kind: 'sandbox' }>): Promise<void> {
  const options = images === undefined ? endlessPulls() : { images };
  const { kubeconfig } = await startSandbox(await readConfig('davit.yaml'), directory, options);
  say({ type: 'ready', kubeconfig });
}

/** A Pod in the middle of its image pull has an address, and no process: one node has room for very many. */
function endlessPulls(): SandboxOptions {
  const capacity = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Pi', pods: '100000' };
  const node = { behaviour: { forPod: () => ({ imagePullMs: never }) }, capacity };
  return { images: { [image]: { command: ['false'] } }, node };
}

/** davit as one process: it takes GitHub's webhooks, and acts nowhere. */
async function local({ directory, kubeconfig }: Extract<BurstStart, { kind: 'local' }>): Promise<void> {
  const config = withImage(await readConfig('davit.yaml'));
  const cluster = { kubeconfig, kubeconfigPath: join(directory, 'kubeconfig') };
  const runtime = await startRuntime({ config, cluster, stateDirectory: directory });
  runtime.onExecutionEvent(({ type, launchId: name }) => {
    if (type === 'started') say({ type: 'begun', name });
  });
  runtime.eventBus.onEvent((event) => {
    if (event['detail-type'] === 'AgentPlaced') say({ type: 'launched', name: String(event.detail['launchId']) });
  });
  say({ type: 'ready', url: runtime.url, webhookSecret: await runtime.webhookSecret('github') });
}

/** davit's deployed handlers, on emulators of AWS. */
async function onAws({ directory, kubeconfig, github }: Extract<BurstStart, { kind: 'aws' }>): Promise<void> {
  const config = withImage(withGithub(await readConfig('davit.yaml'), github));
  const cluster = { kubeconfig, kubeconfigPath: join(directory, 'kubeconfig') };
  let throttled: ReadonlySet<string> = new Set();
  process.on('message', (order) => {
    throttled = new Set(BurstOrder.parse(order).throttled);
  });
  const runtime = await startAwsRuntime({
    config,
    cluster,
    stateDirectory: directory,
    secrets: { [tokenSecret]: github.token },
    isThrottled: (service, operation) => isThrottledBy(throttled, service, operation),
  });
  runtime.onExecutionEvent(({ type, launchId: name }) => {
    if (type === 'started') say({ type: 'begun', name });
  });
  const { tokensTable: TableName } = runtime.services;
  runtime.dynamoDb.stream([{ TableName, ...tokensTable.schema }], ({ dynamodb: { NewImage } }) => {
    say({ type: 'launched', name: PublishedImage.parse(NewImage).token.M.launchId.S });
  });
  say({ type: 'ready', url: runtime.url, webhookSecret: await runtime.webhookSecret('github') });
}

/** davit acts in the GitHub, for jobs with the label `burst`. */
function withGithub(config: Config, { url }: ActingGithub): Config {
  const github = CiSystemConfig.parse({
    name: 'github',
    provider: 'github',
    url,
    webhookSecret: 'burst-hook',
    tokenSecret,
  });
  const profiles = config.profiles.map((profile) => ({ ...profile, labels: ['burst'], runner: 'github' as const }));
  return { ...config, profiles, ciSystems: [github] };
}

/** A server whose answer waits until its request is on the disk, as davit's does, and that does nothing else. */
async function bare(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const { sql, commit } = openStore(join(directory, storeFile));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    await commit(() => sql.run`INSERT INTO event (body) VALUES (${body})`);
    response.writeHead(202).end('{}');
  };
  const server = createServer((request, response) => void answer(request, response));
  const { url } = await listen(server);
  say({ type: 'ready', url });
}

/** The first profile, with agents that start no process, need no node port, and are waited for to the end of the burst. */
function withImage(config: Config): Config {
  const profiles = config.profiles.slice(0, 1).map((profile) => {
    const { template } = profile;
    const containers = template.spec.containers.map((container) => ({ ...container, image, resources: {} }));
    const deadlines = { ...profile.deadlines, connectSeconds: 3600 };
    return {
      ...profile,
      deadlines,
      expose: 'none' as const,
      template: { ...template, spec: { ...template.spec, containers } },
    };
  });
  return { ...config, profiles };
}

function say(message: BurstMessage): void {
  process.send?.(message);
}
