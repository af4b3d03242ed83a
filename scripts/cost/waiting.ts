import { recordIntervalMs } from '../../functions/publish-token/await-agent.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { longestDelaysSeconds, retrierOf, taskOf } from '../statemachine/read-definition.ts';
import { heldMs, type Look, looksOf, startedBetween, type WaitName } from '../statemachine/waits.ts';
import { assumed } from './assumptions.ts';
import { billedSeconds, functionOf, gbOf, type Line, line, logBytesOf } from './cost-model.ts';
import type { Counts } from './counts.ts';
import type { StackShape } from './stack-shape.ts';

/** One kind of wait: a state that Step Functions repeats until an event happens. */
export interface Wait {
  /** The event that the launch waits for. */
  for: string;
  functionName: FunctionName;
  /** The looks of one agent's launch during a wait. */
  looks: (agent: string, seconds: number) => Look[];
  /** Reads of the launch's record in a look of so many milliseconds. */
  reads: (lookMs: number) => number;
}

/** The average use of one launch in a minute of waiting. */
export interface WaitingMinute {
  /** Attempts that begin: each is a state transition and an invocation. */
  looks: number;
  /** How long a function is held, in seconds. */
  heldSeconds: number;
  reads: number;
}

/** The wait of a launch whose Pod has no node yet, or whose node has not reported its address. */
export const placementWait = polled('its Pod to be placed', 'PollHostIP', 'poll-host-ip', () => 1);

/** Every kind of wait. */
export const allWaits: readonly Wait[] = [
  polled('its nodePort', 'PollNodePort', 'poll-node-port', () => 0),
  placementWait,
  polled('its agent to connect', 'PublishToken', 'publish-token', (lookMs) => 1 + Math.ceil(lookMs / recordIntervalMs)),
  {
    for: 'room in its namespace (`QuotaExceeded`)',
    functionName: 'create-pod',
    looks: (_agent, seconds) => refusals('CreatePod', seconds),
    // One read before the create, and one to see whether an earlier attempt has met the full quota.
    reads: () => 2,
  },
];

/** The two parts of a wait, in seconds since it began: the first minute, and the ten minutes after it. */
export const spans = { first: [0, 60], later: [60, 660] } as const;

const agents = Array.from({ length: 200 }, (_, index) => `davit-github-${index}-2-1`);

/** Computes what one minute of a wait uses. @param span in seconds since the wait began */
export function minuteOf(wait: Wait, [from, to]: readonly [from: number, to: number], counts: Counts): WaitingMinute {
  const minutes = (agents.length * (to - from)) / 60;
  const looks = agents.map((agent) => wait.looks(agent, 2 * to));
  const inSpan = (of: (all: readonly Look[]) => number) => looks.reduce((sum, all) => sum + of(all), 0) / minutes;
  const started = inSpan((all) => startedBetween(all, from * 1000, to * 1000));
  const lookingSeconds = inSpan((all) => heldMs(all, from * 1000, to * 1000)) / 1000;
  const lookMs = (lookingSeconds * 1000) / started;
  // Besides its look, an attempt takes as long as an invocation that does not wait.
  const besideSeconds = lookMs > 0 ? assumed.addedSeconds : secondsOf(wait.functionName, counts);
  return { looks: started, heldSeconds: lookingSeconds + started * besideSeconds, reads: started * wait.reads(lookMs) };
}

/** Computes what a minute of waiting adds to the cost of 1,000 launches. */
export function costOfWaiting(wait: Wait, minute: WaitingMinute, counts: Counts, shape: StackShape): Line[] {
  const { memoryMiB } = functionOf(shape, wait.functionName);
  const logGb = (minute.looks * (logBytesOf(counts.launch) + assumed.failureLogBytes)) / 1_000_000_000;
  return [
    line('Step Functions: repeated attempts', minute.looks * 1000, 'transition'),
    line('Lambda: invocations', minute.looks * 1000, 'invocation'),
    line('Lambda: time', minute.heldSeconds * gbOf(memoryMiB) * 1000, 'arm64GbSecond'),
    line('DynamoDB: reads', minute.reads * 1000, 'readUnit'),
    line('CloudWatch Logs: taken in', logGb * 1000, 'logIngestion'),
  ];
}

function polled(what: string, state: WaitName, functionName: FunctionName, reads: Wait['reads']): Wait {
  return { for: what, functionName, looks: (agent, seconds) => looksOf(state, agent, seconds), reads };
}

/** A refused create takes almost no time. With full jitter, a pause is on average half of the longest. */
function refusals(state: string, seconds: number): Look[] {
  const retrier = retrierOf(taskOf(state), 'PendingError');
  if (retrier === undefined) throw new Error(`${state} does not wait`);
  const looks: Look[] = [];
  let atMs = 0;
  for (const pauseSeconds of longestDelaysSeconds(retrier)) {
    if (atMs >= seconds * 1000) break;
    looks.push({ startMs: atMs, endMs: atMs });
    atMs += (pauseSeconds * 1000) / (retrier.JitterStrategy === 'FULL' ? 2 : 1);
  }
  return looks;
}

function secondsOf(name: FunctionName, { launch }: Counts): number {
  return billedSeconds((launch.seconds[name] ?? 0) / (launch.invocations[name] ?? 1));
}
