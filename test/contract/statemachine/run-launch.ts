import type { StateMachineDefinition } from 'aws-local-stepfunctions';
import * as z from 'zod';
import { PendingError, RelaunchError, TerminalError, TransientError } from '../../../core/errors/errors.ts';
import { nextGeneration } from '../../../core/launch/plan-launch.ts';
import { definitionInAws, tasks } from '../../../scripts/statemachine/read-definition.ts';
import { ExecutionError, StateMachine } from '../../support/aws/stepfunctions/engine.ts';
import { planOf } from '../launch-fixtures.ts';

/** The data of an execution. */
export const Data = z.record(z.string(), z.json());
export type Data = z.infer<typeof Data>;

const parsed: StateMachineDefinition = JSON.parse(definitionInAws);
const machine = new StateMachine(parsed, { validationOptions: { noValidate: true } });

/** A step's function in a test: returns the Payload or throws. `usual` is the output of a successful step. */
export type Step = (input: Data, usual: Data) => Data | Promise<Data>;

/** An error of each kind with which a step may end. */
export const thrown = {
  pending: new PendingError('PlacementPending', 'phase Pending'),
  transient: new TransientError('ClusterUnreachable', 'connect ECONNREFUSED'),
  relaunch: new RelaunchError('PodEvicted', 'The node was low on resource: memory.'),
  terminal: new TerminalError('ImagePullFailed', 'manifest unknown'),
  death: Object.assign(new Error('exit status 1'), { name: 'Runtime.ExitError' }),
  byLambda: Object.assign(new Error('Rate exceeded'), { name: 'Lambda.TooManyRequestsException' }),
};

/** The output of each successful step. */
export const usually: Readonly<Record<string, Data>> = {
  CreateService: { uid: 'service-uid', createdAtEpochMs: 1_767_225_600_100 },
  PollNodePort: { port: 30_080, readAtEpochMs: 1_767_225_600_200 },
  CreatePod: {
    uid: 'pod-uid',
    resourceVersion: '7',
    credentialId: '4a1c2f0e-7d3b-4e58-9b61-0c5d2e8f7a90',
    createdAtEpochMs: 1_767_225_600_300,
  },
  PollHostIP: {
    host: '10.0.0.7',
    resourceVersion: '9',
    placedAtEpochMs: 1_767_225_600_400,
    scheduledAtEpochMs: 1_767_225_600_000,
  },
  PublishToken: { publishedAtEpochMs: 1_767_225_600_500 },
  Relaunch: Data.parse(nextGeneration(planOf('github-1-2-1'), 1_767_225_630_000)),
  CleanUp: { code: 'ImagePullFailed', message: 'ImagePullFailed: manifest unknown' },
};

/** A step that fails this many times before it succeeds. */
export function failing(times: number, error: Error): Step {
  let runs = 0;
  return (_input, usual) => {
    runs += 1;
    if (runs <= times) throw error;
    return usual;
  };
}

/** The result of an execution. */
export interface LaunchRun {
  /** The entered states, in order. */
  entered: string[];
  /** Each step's inputs, by attempt. */
  inputs: Record<string, Data[]>;
  output?: unknown;
  /** The execution's error and cause, if it failed. */
  error?: { name: string; message: string };
}

/**
 * Runs the definition on the local engine, without its pauses.
 *
 * @param overrides steps that differ from the successful ones
 */
export async function runLaunch(plan: object, overrides: Record<string, Step> = {}): Promise<LaunchRun> {
  const inputs: LaunchRun['inputs'] = {};
  const handlerOf = (name: string) => async (parameters: unknown) => {
    const { Payload: input } = z.object({ Payload: Data }).parse(parameters);
    (inputs[name] ??= []).push(input);
    const usual = usually[name] ?? {};
    return { StatusCode: 200, Payload: overrides[name] ? await overrides[name](input, usual) : usual };
  };
  const names = [...tasks.keys()];
  const { result, eventLogs } = machine.run(Data.parse(plan), {
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(names.map((name) => [name, handlerOf(name)])),
      retryIntervalOverrides: Object.fromEntries(names.map((name) => [name, 0])),
    },
  });
  const end = await result.then((output) => ({ output }), failureOf);
  const entered: string[] = [];
  for await (const event of eventLogs) if (event.type === 'StateEntered') entered.push(event.state.name);
  return { entered, inputs, ...end };
}

function failureOf(failure: unknown): Pick<LaunchRun, 'error'> {
  if (!(failure instanceof ExecutionError && failure.cause instanceof Error)) throw failure;
  const { name, message } = failure.cause;
  return { error: { name, message } };
}
