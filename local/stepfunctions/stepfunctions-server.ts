import { startAwsJsonServer } from '../aws-json-server.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../lambda/function-name.ts';
import { type LoopbackServer, stopOnce } from '../loopback-server.ts';
import { loadDefinition } from './definition.ts';
import type { Execution } from './execution.ts';
import { ExecutionStore } from './execution-store.ts';
import type { InvokeFunction } from './lambda-task.ts';
import { stepFunctionsOperations } from './operations.ts';
import { type HistoryListener, StateMachineService } from './state-machine-service.ts';

/** What the local Step Functions runs. */
export interface StepFunctionsServerOptions {
  stateMachine: {
    name: string;
    /** The definition as ASL text (JSON, JSONPath). */
    definition: string;
    /** What CDK's definitionSubstitutions would be: placeholder to function name. */
    substitutions: Readonly<Record<string, string>>;
  };
  invokeFunction: InvokeFunction;
  /** File for executions and their ends; without one they are lost with the process. */
  journalPath?: string;
  /** How many ended executions keep their history, input and output. @default 100 */
  keptHistories?: number;
  /** How many ended executions are remembered at all. @default 20000 */
  keptExecutions?: number;
  /** @default 0, any free port */
  port?: number;
  region?: string;
  /** Hears of events from the first one on, also of those of recovered executions. */
  onEvent?: HistoryListener;
  nowEpochMs?: () => number;
}

/** A running Step Functions with its one state machine. */
export interface StepFunctionsServer extends LoopbackServer {
  readonly stateMachineArn: string;
  /** Calls `listener` for each event from now on; returns how to stop it. */
  onEvent(listener: HistoryListener): () => void;
  /** The execution by its name, also how many states it has entered. */
  execution(name: string): Readonly<Execution> | undefined;
}

/**
 * Serves the Step Functions protocol for one state machine. Executions that were RUNNING when an earlier process died
 * run again, from their first state with the same name and input: every step of a launch may be repeated.
 *
 * `stop` ends no execution: those that are RUNNING are recovered by the next start.
 *
 * @throws Error when the definition cannot run here, or the journal cannot be read.
 */
export async function startStepFunctionsServer(options: StepFunctionsServerOptions): Promise<StepFunctionsServer> {
  const { name, definition: aslText, substitutions } = options.stateMachine;
  const definition = loadDefinition(aslText, substitutions);
  const nowEpochMs = options.nowEpochMs ?? Date.now;
  const arn = `arn:aws:states:${options.region ?? LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:stateMachine:${name}`;
  const store = new ExecutionStore(options);
  const { invokeFunction } = options;
  const service = new StateMachineService({ arn, name, definition, store, invokeFunction, nowEpochMs });
  const server = await startAwsJsonServer({
    targetPrefix: 'AWSStepFunctions',
    jsonVersion: '1.0',
    port: options.port ?? 0,
    operations: stepFunctionsOperations({
      stateMachineArn: arn,
      stateMachineName: name,
      definitionText: JSON.stringify(definition),
      createdEpochMs: nowEpochMs(),
      service,
      store,
    }),
  });
  if (options.onEvent) service.onEvent(options.onEvent);
  service.recover();

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
