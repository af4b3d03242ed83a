import * as z from 'zod';
import type { LaunchPlan } from '../../../core/launch/launch-state.ts';
import { type Definition, parseDefinition } from '../../../local/machine/definition.ts';
import { ExecutionsTable } from '../../../local/machine/executions-table.ts';
import { StateMachine } from '../../../local/machine/state-machine.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { definitionText, tasks } from '../../../scripts/statemachine/read-definition.ts';
import { Data, type LaunchRun, type Step, usually } from './run-launch.ts';

/** As the other engine, this one does not look into a plan. */
const AnyPlan = z.custom<LaunchPlan>();

const Failure = z.object({ Error: z.string(), Cause: z.string() });
const Thrown = z.object({ errorMessage: z.string() });

const definition = withoutPauses(parseDefinition(definitionText));
const stateOf = new Map(
  [...tasks.keys()].map((name) => {
    const state = definition.States[name];
    return [state?.Type === 'Task' ? state.Parameters.FunctionName : '', name];
  }),
);

/**
 * Runs the definition in davit's own process, without its pauses.
 *
 * @param overrides steps that differ from the successful ones
 */
export async function runOwnLaunch(plan: object, overrides: Record<string, Step> = {}): Promise<LaunchRun> {
  using store = openStore(':memory:');
  const run: LaunchRun = { entered: [], inputs: {} };
  const ended = Promise.withResolvers<Pick<LaunchRun, 'output' | 'error'>>();
  const machine = new StateMachine({
    definition,
    table: new ExecutionsTable(store),
    invoke: async (functionName, event) => {
      const name = stateOf.get(functionName) ?? '';
      const input = withMessages(Data.parse(event));
      (run.inputs[name] ??= []).push(input);
      const usual = usually[name] ?? {};
      return overrides[name] ? await overrides[name](input, usual) : usual;
    },
    onUnsuccessful: () => undefined,
    onEvent: (event) => {
      if (event.type === 'entered') run.entered.push(event.state);
      if (event.type !== 'ended') return;
      if (event.status === 'SUCCEEDED') return ended.resolve({ output: event.output });
      ended.resolve({ error: { name: event.error ?? '', message: messageOf(event.cause ?? '') } });
    },
    nowEpochMs: Date.now,
    random: Math.random,
  });
  await machine.start(AnyPlan.parse(plan));
  return { ...run, ...(await ended.promise) };
}

function withoutPauses(paused: Definition): Definition {
  const states = Object.entries(paused.States).map(([name, state]) => {
    if (state.Type !== 'Task') return [name, state] as const;
    return [name, { ...state, Retry: state.Retry.map((retrier) => ({ ...retrier, IntervalSeconds: 0 })) }] as const;
  });
  return { ...paused, States: Object.fromEntries(states) };
}

/** The other engine's steps fail without Lambda, which puts an error's message into JSON. */
function withMessages(input: Data): Data {
  const { data: failure } = Failure.safeParse(input['failure']);
  return failure === undefined ? input : { ...input, failure: { ...failure, Cause: messageOf(failure.Cause) } };
}

function messageOf(cause: string): string {
  return cause.startsWith('{') ? Thrown.parse(JSON.parse(cause)).errorMessage : cause;
}
