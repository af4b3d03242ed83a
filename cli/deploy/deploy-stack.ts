import { CliError } from '../cli-error.ts';
import { type FollowDeps, followStack, isInProgress, newestEvent, stackFailure } from './follow-stack.ts';
import type { ChangeSet, StackEvent, StackState } from './stack-port.ts';

/** States of a stack that never held a davit, or holds none any more: CloudFormation can only delete it. */
const emptyStatuses = ['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED', 'DELETE_FAILED'];

/** States that an update can begin from. */
const steadyStatuses = [
  'CREATE_COMPLETE',
  'UPDATE_COMPLETE',
  'UPDATE_ROLLBACK_COMPLETE',
  'IMPORT_COMPLETE',
  'IMPORT_ROLLBACK_COMPLETE',
];

/**
 * Brings a stack into a state that a deployment can begin from: waits until CloudFormation has finished what somebody
 * began earlier, and deletes what is left of a creation that failed.
 *
 * @param agree asks the person before it deletes; it throws if the answer is no
 * @returns the stack; undefined if there is none now
 * @throws CliError for a stack that only a person can mend
 */
export async function settleStack(
  deps: FollowDeps,
  agree: (question: string) => Promise<void>,
): Promise<StackState | undefined> {
  const { stack, tell } = deps;
  let hasDeleted = false;
  for (;;) {
    const found = await stack.describe();
    if (found === undefined || found.status === 'DELETE_COMPLETE') return undefined;
    const { id, status } = found;
    if (steadyStatuses.includes(status)) return found;
    if (isInProgress(status)) {
      tell(`the stack is ${status}: waiting until CloudFormation has finished`);
      await followStack(deps, id, { since: await newestEvent(stack, id), isJustAsked: false });
    } else if (emptyStatuses.includes(status) && !hasDeleted) {
      tell(`the stack is ${status}, and holds no davit`);
      // A stack that waits for its first change set has no resources.
      if (status !== 'REVIEW_IN_PROGRESS') await agree('Delete what is left of it?');
      hasDeleted = true;
      await deleteStack(deps, id);
    } else {
      const advice = status.startsWith('UPDATE_ROLLBACK_FAILED')
        ? `aws cloudformation continue-update-rollback --stack-name ${id}`
        : 'CloudFormation has its events: aws cloudformation describe-stack-events';
      const why = found.reason === undefined ? '' : `: ${found.reason}`;
      throw new CliError('failed', 'stack-stuck', `the stack is ${status}, and cannot be updated${why}`, advice);
    }
  }
}

/** Makes a change set and waits for it. @returns undefined if nothing would change: the change set is then deleted */
export async function makeChangeSet(
  { stack, pause }: FollowDeps,
  type: 'CREATE' | 'UPDATE',
  templateUrl: string,
): Promise<ChangeSet | undefined> {
  const id = await stack.createChangeSet(type, templateUrl);
  let made = await stack.describeChangeSet(id);
  for (
    ;
    made.status.endsWith('_PENDING') || made.status.endsWith('_IN_PROGRESS');
    made = await stack.describeChangeSet(id)
  ) {
    await pause(changeSetPollMs);
  }
  if (made.status === 'CREATE_COMPLETE') return made;
  await stack.deleteChangeSet(id);
  if (changesNothing.test(made.reason ?? '')) return undefined;
  const message = `the change set is ${made.status}: ${made.reason ?? 'CloudFormation says no reason'}`;
  throw new CliError('failed', 'change-set-failed', message);
}

const changeSetPollMs = 1000;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets-create.html */
const changesNothing = /didn't contain changes|No updates are to be performed/;

/**
 * Executes a change set and follows the stack to its end.
 *
 * @throws CliError with the reason of the first resource that failed
 */
export async function executeChangeSet(deps: FollowDeps, { id }: ChangeSet, stackId: string): Promise<StackState> {
  const since = await newestEvent(deps.stack, stackId);
  await deps.stack.executeChangeSet(id);
  const { state, events } = await followStack(deps, stackId, { since, isJustAsked: true });
  if (['CREATE_COMPLETE', 'UPDATE_COMPLETE'].includes(state.status)) return state;
  if (state.status === 'UPDATE_ROLLBACK_COMPLETE') {
    const restored = 'CloudFormation has restored what was there before. Mend the cause, and deploy again.';
    throw stackFailure(state, events, restored);
  }
  for (const [type, names] of keptIn(events)) deps.tell(`kept: ${type}: ${names.join(' ')}`);
  throw stackFailure(state, events, 'Mend the cause, and deploy again: the next deployment begins with a new stack.');
}

/**
 * Deletes a stack and follows it to its end.
 *
 * @returns the names of the resources that CloudFormation kept, by their types
 * @throws CliError with the reason of the first resource that could not be deleted
 */
export async function deleteStack(deps: FollowDeps, id: string): Promise<Map<string, string[]>> {
  const since = await newestEvent(deps.stack, id);
  await deps.stack.delete(id);
  const { state, events } = await followStack(deps, id, { since, isJustAsked: true });
  if (state.status !== 'DELETE_COMPLETE') {
    throw stackFailure(state, events, 'Mend the cause, and repeat the command: repeating is safe.');
  }
  return keptIn(events);
}

/** Names the resources that CloudFormation kept when it deleted others, by their types. */
function keptIn(events: readonly StackEvent[]): Map<string, string[]> {
  const kept = events.filter(({ status }) => status === 'DELETE_SKIPPED');
  const byType = Map.groupBy(kept, ({ type }) => type);
  return new Map(
    [...byType].map(([type, those]) => [type, those.map(({ physicalId, logicalId }) => physicalId ?? logicalId)]),
  );
}
