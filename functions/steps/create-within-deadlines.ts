import type { PendingCode, TerminalCode } from '../domain/error-codes.ts';
import { PendingError, TransientError } from '../domain/errors.ts';
import type { Deadlines, LaunchPlan } from '../domain/launch-state.ts';
import type { Launches } from '../ports/launches.ts';
import { type Deadline, unlessPassed } from './within-deadline.ts';

/** What davit needs to measure how long a create has waited for room. */
export interface CreateDeadlineDeps {
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  nowEpochMs: () => number;
}

/** A cluster without room for an object gets a deadline of its own: other agents have to end first. */
const waitsForRoom: ReadonlyMap<string, { seconds: keyof Deadlines; code: TerminalCode }> = new Map([
  ['QuotaExceeded', { seconds: 'quotaSeconds', code: 'QuotaDeadlineExceeded' }],
  ['NodePortRangeFull', { seconds: 'nodePortRangeSeconds', code: 'NodePortRangeDeadlineExceeded' }],
] satisfies [PendingCode, { seconds: keyof Deadlines; code: TerminalCode }][]);

/**
 * Runs one attempt of a step that creates an object, as `withinDeadline` does. The deadline of a full quota or node-port
 * range counts from when the cluster first reported it, which the launch's record keeps as its signal.
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
    // The step may have spent its time on waiting for room: then the state machine's number of attempts bounds the rest.
    throw over === error || (await hasWaitedForRoom(deps, plan)) ? error : over;
  }
}

async function unlessNoRoom(
  deps: CreateDeadlineDeps,
  { launchId, deadlines }: LaunchPlan,
  deadline: Deadline,
  error: PendingError,
): Promise<Error> {
  const { code, detail } = error;
  const { sinceEpochMs } = await deps.launches.noteSignal(launchId, { code, detail, sinceEpochMs: deps.nowEpochMs() });
  const room = waitsForRoom.get(code);
  const counted =
    room === undefined ? deadline : { ...deadline, sinceEpochMs, seconds: deadlines[room.seconds], code: room.code };
  return unlessPassed(counted, deps.nowEpochMs(), error);
}

async function hasWaitedForRoom({ launches }: CreateDeadlineDeps, { launchId }: LaunchPlan): Promise<boolean> {
  return waitsForRoom.has((await launches.get(launchId))?.signal?.code ?? '');
}
