import type { PendingCode, TerminalCode } from '../domain/error-codes.ts';
import { PendingError, TransientError } from '../domain/errors.ts';
import type { Deadlines, LaunchPlan } from '../domain/launch-state.ts';
import type { Launches } from '../ports/launches.ts';
import { type Deadline, unlessPassed } from './within-deadline.ts';

/** What a create needs to know how long it has waited for room. */
export interface CreateDeadlineDeps {
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  nowEpochMs: () => number;
}

/** A cluster that has no room for an object is waited for by a deadline of its own: others have to end first. */
const waitsForRoom: ReadonlyMap<string, { seconds: keyof Deadlines; code: TerminalCode }> = new Map([
  ['QuotaExceeded', { seconds: 'quotaSeconds', code: 'QuotaDeadlineExceeded' }],
  ['NodePortRangeFull', { seconds: 'nodePortRangeSeconds', code: 'NodePortRangeDeadlineExceeded' }],
] satisfies [PendingCode, { seconds: keyof Deadlines; code: TerminalCode }][]);

/**
 * Runs one attempt of a step that creates an object, as `withinDeadline`; but a full quota or node-port range counts
 * from when the cluster first said so, which is noted in the launch's record for the person who waits.
 *
 * @throws TerminalError with the code of the deadline that passed
 */
export async function createWithinDeadlines<Output>(
  deps: CreateDeadlineDeps,
  plan: LaunchPlan,
  deadline: Deadline,
  attempt: () => Promise<Output>,
): Promise<Output> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof PendingError) throw await unlessNoRoom(deps, plan, deadline, error);
    if (!(error instanceof TransientError)) throw error;
    const over = unlessPassed(deadline, deps.nowEpochMs(), error);
    // The step's time may have gone by while it waited for room: then the state machine's attempts bound the rest.
    throw over === error || (await hasWaitedForRoom(deps, plan)) ? error : over;
  }
}

async function unlessNoRoom(
  deps: CreateDeadlineDeps,
  { launchId, deadlines }: LaunchPlan,
  deadline: Deadline,
  error: PendingError,
): Promise<Error> {
  const { code, says } = error;
  const { sinceEpochMs } = await deps.launches.noteSignal(launchId, { code, says, sinceEpochMs: deps.nowEpochMs() });
  const room = waitsForRoom.get(code);
  const counted =
    room === undefined ? deadline : { ...deadline, sinceEpochMs, seconds: deadlines[room.seconds], code: room.code };
  return unlessPassed(counted, deps.nowEpochMs(), error);
}

async function hasWaitedForRoom({ launches }: CreateDeadlineDeps, { launchId }: LaunchPlan): Promise<boolean> {
  return waitsForRoom.has((await launches.get(launchId))?.signal?.code ?? '');
}
