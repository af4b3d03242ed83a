/** A process of the burst: a sandbox, a davit, or the bare services. `startProgram` starts it. */
import { join } from 'node:path';
import * as z from 'zod';
import { jobsTable, tokensTable } from '../../../../adapters/aws/table-definitions.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import type { Config } from '../../../../core/config/config.ts';
import { readConfig } from '../../../../core/config/read-config.ts';
import { startSandbox } from '../../../../local/runtime/start-cluster.ts';
import { startDynamoDbServer } from '../../../support/aws/dynamodb/dynamodb-server.ts';
import { startAwsRuntime } from '../../../support/aws/runtime/start-aws-runtime.ts';
import { startStepFunctionsServer } from '../../../support/aws/stepfunctions/stepfunctions-server.ts';
import { isThrottledBy } from '../../../support/burst-trouble.ts';
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
      return sandbox(asked.directory);
    case 'davit':
      return davit(asked);
    case 'bare':
      return bare(asked.directory);
  }
}

/** A Pod in the middle of its image pull has an address, and no process: one node has room for very many. */
async function sandbox(directory: string): Promise<void> {
  const images = { [image]: { command: ['false'] } };
  const capacity = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Pi', pods: '100000' };
  const node = { behaviour: { forPod: () => ({ imagePullMs: never }) }, capacity };
  const { kubeconfig } = await startSandbox(await readConfig('davit.yaml'), directory, { images, node });
  say({ type: 'ready', kubeconfig });
}

async function davit({ directory, kubeconfig, github }: Extract<BurstStart, { kind: 'davit' }>): Promise<void> {
  const read = await readConfig('davit.yaml');
  const config = withImage(github === undefined ? read : withGithub(read, github));
  const cluster = { kubeconfig, kubeconfigPath: join(directory, 'kubeconfig') };
  let throttled: ReadonlySet<string> = new Set();
  process.on('message', (order) => {
    throttled = new Set(BurstOrder.parse(order).throttled);
  });
  const runtime = await startAwsRuntime({
    config,
    cluster,
    stateDirectory: directory,
    secrets: github === undefined ? {} : { [tokenSecret]: github.token },
    isThrottled: (service, operation) => isThrottledBy(throttled, service, operation),
  });
  runtime.onExecutionEvent((event) => {
    const { launchId: name } = event;
    if (event.type === 'started') say({ type: 'begun', name });
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

/** The same stand-ins for AWS, and a state machine that does nothing. */
async function bare(directory: string): Promise<void> {
  const dynamoDb = await startDynamoDbServer({ directory });
  await dynamoDb.createTables([{ TableName: 'burst', ...jobsTable.schema }]);
  const definition = JSON.stringify({ StartAt: 'Done', States: { Done: { Type: 'Succeed' } } });
  const stepFunctions = await startStepFunctionsServer({
    stateMachine: { name: 'burst', definition, substitutions: {} },
    invokeFunction: async () => Promise.reject(new TypeError('it has no task')),
    journalPath: join(directory, 'executions.jsonl'),
  });
  stepFunctions.onEvent(({ type }, { name }) => {
    if (type === 'ExecutionSucceeded') say({ type: 'launched', name });
  });
  const { url: stepFunctionsUrl, stateMachineArn } = stepFunctions;
  say({ type: 'ready', dynamoDbUrl: dynamoDb.url, stepFunctionsUrl, stateMachineArn });
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
