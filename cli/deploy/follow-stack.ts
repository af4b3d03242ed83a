import { printable } from '../../core/printable.ts';
import { CliError } from '../cli-error.ts';
import { readableId } from './change-words.ts';
import type { StackEvent, StackPort, StackState } from './stack-port.ts';

/** What following a stack needs. */
export interface FollowDeps {
  stack: StackPort;
  tell: (line: string) => void;
  pause: (ms: number) => Promise<unknown>;
}

const pollMs = 2000;

/** Returns the id of the newest event, so that `followStack` shows only later ones. */
export async function newestEvent(stack: StackPort, id: string): Promise<string | undefined> {
  for await (const event of stack.events(id)) return event.id;
  return undefined;
}

/** Where following begins. */
export interface FollowFrom {
  /** The last event that is not shown; undefined: all are. */
  since: string | undefined;
  /** Whether the caller has just asked CloudFormation to begin: its state may then still be that of before. */
  isJustAsked: boolean;
}

/**
 * Shows a stack's events until CloudFormation has finished with it.
 *
 * @returns the stack at its end, and the events from the first to the last
 */
export async function followStack(
  { stack, tell, pause }: FollowDeps,
  id: string,
  { since, isJustAsked }: FollowFrom,
): Promise<{ state: StackState; events: readonly StackEvent[] }> {
  const events: StackEvent[] = [];
  for (;;) {
    const hasBegun = !isJustAsked || events.length > 0;
    // The state before the events: none of those that led to it is missed.
    const state = await stack.describe(id);
    for (const event of await eventsSince(stack, id, events.at(-1)?.id ?? since)) {
      events.push(event);
      tell(eventLine(event));
    }
    if (state === undefined) throw new CliError('failed', 'stack-gone', `the stack ${id} does not exist any more`);
    const isOver = state.status === 'DELETE_COMPLETE' || (hasBegun && !isInProgress(state.status));
    if (isOver) return { state, events };
    await pause(pollMs);
  }
}

async function eventsSince(stack: StackPort, id: string, since: string | undefined): Promise<StackEvent[]> {
  const newer: StackEvent[] = [];
  for await (const event of stack.events(id)) {
    if (event.id === since) break;
    newer.push(event);
  }
  return newer.toReversed();
}

function eventLine({ atEpochMs, status, type, logicalId, reason }: StackEvent): string {
  const time = new Date(atEpochMs).toISOString().slice(11, 19);
  const why = reason === undefined ? '' : `  ${reason}`;
  return printable(`${time}  ${status.padEnd(18)}  ${type}  ${readableId(logicalId)}${why}`);
}

/** Says whether CloudFormation still works on a stack. REVIEW_IN_PROGRESS waits for a person, and for nothing else. */
export function isInProgress(status: string): boolean {
  return status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS';
}

/** What CloudFormation says of a resource that it gave up because of another one. */
const followsAnother = /cancelled|The following resource\(s\) failed/i;

/**
 * Finds the failure that the others follow from.
 *
 * @param events from the first to the last
 */
export function firstFailure(events: readonly StackEvent[]): StackEvent | undefined {
  const failed = events.filter(({ status }) => status.endsWith('_FAILED'));
  return failed.find(({ reason }) => reason !== undefined && !followsAnother.test(reason)) ?? failed[0];
}

/** Makes the error of a stack that did not get where it should. */
export function stackFailure({ status, reason }: StackState, events: readonly StackEvent[], advice: string): CliError {
  const first = firstFailure(events);
  const message =
    first === undefined
      ? `the stack is ${status}${reason === undefined ? '' : `: ${reason}`}`
      : `${first.type} ${readableId(first.logicalId)}: ${first.reason ?? first.status}; the stack is ${status}`;
  return new CliError('failed', 'stack-failed', printable(message), advice);
}
