import { LOCAL_ACCOUNT_ID } from '../../../../local/gateway/local-caller.ts';
import { type LoopbackServer, stopOnce } from '../../../../local/loopback-server.ts';
import { startAwsJsonServer } from '../aws-json-server.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import { loadDefinition } from './definition.ts';
import type { Execution } from './execution.ts';
import { ExecutionStore } from './execution-store.ts';
import type { InvokeFunction } from './lambda-task.ts';
import { stepFunctionsOperations } from './operations.ts';
import { type HistoryListener, StateMachineService } from './state-machine-service.ts';

/** The settings of the local Step Functions. */
export interface StepFunctionsServerOptions {
  stateMachine: {
    name: string;
    /** The definition as valid ASL text (JSON, JSONPath). */
    definition: string;
    /** The function name for each placeholder, like CDK's definitionSubstitutions. */
    substitutions: Readonly<Record<string, string>>;
  };
  invokeFunction: InvokeFunction;
  /** As in the execution store. */
  journalPath?: string;
  /** How many ended executions keep their history, input and output. @default 100 */
  keptHistories?: number;
  /** As in the AWS JSON server. */
  secretAccessKey?: string;
  /** As in the AWS JSON server. */
  isThrottled?: ((operation: string) => boolean) | undefined;
}

/** A running Step Functions with one state machine. */
export interface StepFunctionsServer extends LoopbackServer {
  readonly stateMachineArn: string;
  /** Calls `listener` with each new event. Returns a function that unsubscribes it. */
  onEvent(listener: HistoryListener): () => void;
  /** Finds an execution by its name. */
  execution(name: string): Readonly<Execution> | undefined;
}

/** Serves the Step Functions protocol for one state machine. @throws Error if the definition cannot run here */
export async function startStepFunctionsServer(options: StepFunctionsServerOptions): Promise<StepFunctionsServer> {
  const { name, definition: aslText, substitutions } = options.stateMachine;
  const definition = loadDefinition(aslText, substitutions);
  const arn = `arn:aws:states:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:stateMachine:${name}`;
  const store = new ExecutionStore(options);
  const { invokeFunction } = options;
  const service = new StateMachineService({ arn, definition, store, invokeFunction });
  const server = await startAwsJsonServer({
    targetPrefix: 'AWSStepFunctions',
    jsonVersion: '1.0',
    secretAccessKey: options.secretAccessKey,
    isThrottled: options.isThrottled,
    operations: stepFunctionsOperations({
      stateMachineArn: arn,
      stateMachineName: name,
      definitionText: JSON.stringify(definition),
      createdEpochMs: Date.now(),
      service,
      store,
    }),
  });

  const stop = stopOnce(async () => {
    await server.stop();
    service.abandonAll();
    store.close();
  });
  return {
    ...server,
    stateMachineArn: arn,
    onEvent: (listener) => service.onEvent(listener),
    execution: (executionName) => store.get(executionName)?.execution,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
