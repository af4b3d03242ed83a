import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** The text of the one definition. */
export const definitionText = readFileSync(new URL('../../statemachine/launch.asl.json', import.meta.url), 'utf8');

/** The definition in the partition `aws`; the functions are still to be put in. */
export const definitionInAws = definitionText.replaceAll('${Partition}', 'aws');

const Retrier = z.strictObject({
  Comment: z.string(),
  ErrorEquals: z.array(z.string()).min(1),
  IntervalSeconds: z.int().positive(),
  BackoffRate: z.number().min(1),
  MaxDelaySeconds: z.int().positive().optional(),
  MaxAttempts: z.int().positive(),
  JitterStrategy: z.enum(['FULL', 'NONE']),
});
/** One entry of a state's Retry. davit leaves nothing to a default except an unneeded cap. */
export type Retrier = z.infer<typeof Retrier>;

const Catcher = z.strictObject({
  Comment: z.string().optional(),
  ErrorEquals: z.array(z.string()),
  ResultPath: z.string(),
  Next: z.string(),
});

const Task = z.strictObject({
  Type: z.literal('Task'),
  Comment: z.string(),
  Resource: z.literal('arn:${Partition}:states:::lambda:invoke'),
  Parameters: z.strictObject({ FunctionName: z.string(), 'Payload.$': z.literal('$') }),
  TimeoutSeconds: z.int().positive(),
  ResultSelector: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  ResultPath: z.string().optional(),
  OutputPath: z.string().optional(),
  Retry: z.array(Retrier),
  Catch: z.array(Catcher),
  Next: z.string().optional(),
  End: z.literal(true).optional(),
});
/** A Task state. */
export type Task = z.infer<typeof Task>;

const Choice = z.strictObject({
  Type: z.literal('Choice'),
  Comment: z.string(),
  Choices: z.array(z.strictObject({ Variable: z.string(), StringEquals: z.string(), Next: z.string() })),
  Default: z.string(),
});

const Fail = z.strictObject({
  Type: z.literal('Fail'),
  Comment: z.string(),
  ErrorPath: z.string(),
  CausePath: z.string(),
});

const Succeed = z.strictObject({ Type: z.literal('Succeed'), Comment: z.string() });

const State = z.discriminatedUnion('Type', [Task, Choice, Succeed, Fail]);
/** A state of any of the types that davit uses. */
export type State = z.infer<typeof State>;

/** The definition, in the part of the Amazon States Language that davit uses; refuses an unknown key. */
export const definition = z
  .strictObject({
    Comment: z.string(),
    StartAt: z.string(),
    TimeoutSeconds: z.int().positive(),
    States: z.record(z.string(), State),
  })
  .parse(JSON.parse(definitionText));

/** The Task states by name. */
export const tasks = new Map(
  Object.entries(definition.States).flatMap(([name, state]) => (state.Type === 'Task' ? [[name, state]] : [])),
);

/** Finds a Task state. @throws Error for an unknown name */
export function taskOf(name: string): Task {
  const task = tasks.get(name);
  if (task === undefined) throw new Error(`no Task state ${name}`);
  return task;
}

/** The next states after a success. */
export function nextOf(state: State): string[] {
  if (state.Type === 'Choice') return [...state.Choices.map(({ Next }) => Next), state.Default];
  return state.Type === 'Task' && state.Next !== undefined ? [state.Next] : [];
}

/** The next states after a failure. */
export function caughtBy(state: State): string[] {
  return state.Type === 'Task' ? state.Catch.map(({ Next }) => Next) : [];
}

/** The names of all states on any path from one to the end, but not beyond `closed` ones. */
export function reachableFrom(start: string, closed: readonly string[] = []): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const state = definition.States[name];
    if (state === undefined) throw new Error(`no state ${name}`);
    if (reached.has(name) || closed.includes(name)) continue;
    reached.add(name);
    open.push(...nextOf(state), ...caughtBy(state));
  }
  return reached;
}

/** The Retry entry that matches an error; undefined when it is not retried. */
export function retrierOf({ Retry }: Task, errorName: string): Retrier | undefined {
  return Retry.find(({ ErrorEquals }) => ErrorEquals.some((name) => matches(name, errorName)));
}

/** The state that catches an error after its retries. */
export function catcherOf({ Catch }: Task, errorName: string): string | undefined {
  return Catch.find(({ ErrorEquals }) => ErrorEquals.some((name) => matches(name, errorName)))?.Next;
}

/** @see https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html */
function matches(wanted: string, errorName: string): boolean {
  if (wanted === 'States.ALL') return true;
  return wanted === errorName || (wanted === 'States.TaskFailed' && errorName !== 'States.Timeout');
}

/** The longest pauses before each of the first attempts, in seconds: full jitter takes any time up to them. */
export function longestDelaysSeconds(retrier: Retrier, attempts = retrier.MaxAttempts): number[] {
  const { IntervalSeconds, BackoffRate, MaxDelaySeconds = Number.POSITIVE_INFINITY } = retrier;
  return Array.from({ length: attempts }, (_, index) =>
    Math.min(IntervalSeconds * BackoffRate ** index, MaxDelaySeconds),
  );
}
