import { ApiException } from '@kubernetes/client-node';
import { $ZodError } from 'zod/v4/core';
import { describeConnectionError, isConnectionError } from '../../adapters/kubernetes/connection-error.ts';
import { answerOf } from '../../adapters/kubernetes/to-davit-error.ts';
import { isForbiddenUser } from '../../core/pod/judge-api-error.ts';
import { type Check, type CheckContext, type CheckResult, held, notChecked, notHeld, type Outcome } from './check.ts';
import type { TestedCluster } from './tested-cluster.ts';
import { type LeftBehind, Throwaways } from './throwaways.ts';

/** A run of checks. */
export interface CheckRun {
  /** The server's version; undefined when the server does not show it. */
  version: string | undefined;
  /** Ends the run when the person presses Ctrl-C. */
  signal: AbortSignal;
  /** Receives each object that cannot be removed. */
  onLeft: (left: LeftBehind) => void;
}

/**
 * Runs checks one after another, and removes the objects of each before the next one, also when it fails or is
 * interrupted. The last result is about these removals.
 *
 * @throws the signal's reason when it is aborted, after the removal
 */
export async function* runChecks(
  cluster: TestedCluster,
  checks: readonly Check[],
  { version, signal, onLeft }: CheckRun,
): AsyncGenerator<CheckResult> {
  const left: LeftBehind[] = [];
  let created = 0;
  for (const check of checks) {
    signal.throwIfAborted();
    const throwaways = new Throwaways(cluster);
    try {
      yield resultOf(check, await outcomeOf(check, { ...cluster, version, throwaways, signal }));
    } finally {
      const stays = await throwaways.removeAll();
      stays.forEach(onLeft);
      left.push(...stays);
      created += throwaways.created;
    }
  }
  yield resultOf(removal, removalOutcome(created, left));
}

/** What the removals themselves show. */
export const removal = {
  name: 'removal',
  reliesOn: 'an object that is deleted goes',
  thenDavit:
    'repeats CleanUp until the objects are gone (RemovalPending), and the sweep after it: until then the launch stays ' +
    '`cleaning`.',
};

function removalOutcome(created: number, left: readonly LeftBehind[]): Outcome {
  if (created === 0) return notChecked('needs a check that can make an object');
  if (left.length === 0) return held(`the ${created} objects of these checks are gone`);
  return notHeld(left.map(({ kind, name, words }) => `${kind}/${name}: ${words}`).join('; '));
}

function resultOf(
  { name, reliesOn, thenDavit }: Omit<CheckResult, keyof Outcome>,
  { verdict, found }: Outcome,
): CheckResult {
  return { name, reliesOn, verdict, found, thenDavit };
}

async function outcomeOf(check: Check, context: CheckContext): Promise<Outcome> {
  try {
    return await check.run(context);
  } catch (error) {
    context.signal.throwIfAborted();
    return outcomeOfError(error, context);
  }
}

/** Without a right or an answer nothing can be checked. @throws the error itself if it is a defect of davit's */
function outcomeOfError(error: unknown, { namespace }: CheckContext): Outcome {
  if (error instanceof ApiException) {
    const answer = answerOf(error);
    const words = `HTTP ${answer.httpStatus}: ${answer.message}`;
    const [, verb, resource] = /cannot (\S+) resource "([^"]+)"/.exec(answer.message) ?? [];
    if (!isForbiddenUser(answer) || verb === undefined) {
      return notChecked(`the cluster refuses what the check needs: ${words}`);
    }
    const where = answer.message.endsWith('at the cluster scope') ? '' : ` in ${namespace}`;
    return notChecked(`needs: ${verb} ${resource}${where}`);
  }
  if (isConnectionError(error)) return notChecked(`no answer: ${describeConnectionError(error)}`);
  if (error instanceof SyntaxError) return notHeld('the answer cannot be read as JSON');
  if (!(error instanceof $ZodError)) throw error;
  const [issue] = error.issues;
  return notHeld(`the answer has another shape: ${issue?.path.join('.')}: ${issue?.message}`);
}
