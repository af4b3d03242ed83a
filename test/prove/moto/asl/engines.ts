import { CreateStateMachineCommand, DescribeStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import type { AwsSettings } from '../../../../adapters/aws/client-settings.ts';
import {
  createSfnClient,
  createSfnExecutions,
  executionArnOf,
} from '../../../../adapters/aws/create-sfn-executions.ts';
import type { Executions } from '../../../../ports/executions.ts';
import { LOCAL_REGION } from '../../../support/aws/lambda/function-name.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import type { AwsRuntime } from '../../../support/aws/runtime/start-aws-runtime.ts';
import { until } from '../../cluster/until.ts';
import { startMoto } from '../moto-server.ts';
import { startLambdaRelay } from './lambda-relay.ts';
import { readStory, type Story } from './story.ts';

/** An engine that runs the state machine with one runtime's functions. */
export interface Engine {
  executions: Executions;
  /** @throws Error when the state is not entered within two minutes */
  untilEntered(launchId: string, state: string): Promise<void>;
  /** @throws Error when the execution does not end within two minutes */
  untilEnded(launchId: string): Promise<Story>;
}

/** The local engine, and moto's interpreter with the same definition. */
export interface Engines extends AsyncDisposable {
  local: Engine;
  moto: Engine;
}

const patienceMs = 120_000;

/** Starts moto beside a runtime: its state machine invokes the runtime's functions, as the local engine does. */
export async function startEngines({ services }: Pick<AwsRuntime, 'services'>): Promise<Engines> {
  await using started = new AsyncDisposableStack();
  const relay = started.use(await startLambdaRelay(services));
  const server = started.use(await startMoto(relay.url));
  const { secretAccessKey } = services;
  const clientOf = (endpoint: string) => {
    const credentials = { accessKeyId: 'local', secretAccessKey };
    const client = new SFNClient({ endpoint, region: LOCAL_REGION, credentials });
    started.defer(() => client.destroy());
    return client;
  };
  const local = clientOf(services.stepFunctionsUrl);
  const moto = clientOf(server.url);
  const { stateMachineArn } = services;
  const { name, definition, roleArn } = await local.send(new DescribeStateMachineCommand({ stateMachineArn }));
  const created = await moto.send(new CreateStateMachineCommand({ name, definition, roleArn }));
  if (created.stateMachineArn === undefined) throw new Error('moto reports no ARN of its state machine');
  const engines = {
    local: engineOf(localAws(services.stepFunctionsUrl, secretAccessKey), local, stateMachineArn),
    moto: engineOf(localAws(server.url), moto, created.stateMachineArn),
  };
  const running = started.move();
  return { ...engines, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function engineOf(aws: AwsSettings, client: SFNClient, stateMachineArn: string): Engine {
  const machine = { client: createSfnClient(aws), stateMachineArn };
  const executions = createSfnExecutions(machine);
  const read = (launchId: string) => readStory(client, executionArnOf(stateMachineArn, launchId), launchId);
  return {
    executions,
    untilEntered: async (launchId, state) => {
      const isThere = async () => (await read(launchId)).visits.some((visit) => visit.state === state);
      await until(`${launchId} is in ${state}`, patienceMs, isThere);
    },
    untilEnded: async (launchId) => {
      const isOver = async () => (await executions.status(launchId))?.status !== 'RUNNING';
      await until(`${launchId} has ended`, patienceMs, isOver);
      return await read(launchId);
    },
  };
}
