import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { profilesOf, scaleSetOf } from '../../core/ci/ci-systems.ts';
import type { QueueCursor } from '../../core/ci/poll-cursor.ts';
import type { Profile } from '../../core/config/config.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { slotLimitsOf } from '../../core/limits/slot-limits.ts';
import { present } from '../../core/present.ts';
import type { JobQueue, QueueMessage } from '../../ports/job-queue.ts';
import { handleNews } from './handle-news.ts';
import type { Polled } from './poll.ts';
import type { PollDeps, QueueDeps } from './poll-deps.ts';

/** How long a poll may take besides its wait, in milliseconds: other processes leave the queue alone until then. */
const handlingMs = 30_000;

/** How often a message is tried that cannot be handled, some 10 s apart. Then it is left to reconciling: others wait behind it. */
const mostFailures = 30;

/** The capacity without a limit: the largest that GitHub's client takes. */
const withoutLimit = 2 ** 31 - 1;

/**
 * Waits for one message of a CI system's queue, handles it as the events that the system does not send, and acknowledges
 * it after that. If the process dies in between, the message comes again, which does no harm.
 *
 *     message 7 ──► job stored, launch requested ──► 7 acknowledged
 *                                        └─► dies    7 comes again: the job has its launch already
 *
 * One process reads the queue at a time. Its session is stored, so that the next one goes on with it: the system gives
 * nobody else a session until it takes the earlier one for dead.
 *
 * @param waitMs how long to wait for a message
 * @throws TransientError, TerminalError when the CI system or a table did not answer, when another process reads the
 *   queue, or somebody else has the session
 */
export async function pollQueue(deps: QueueDeps, system: CiSystemConfig, waitMs: number): Promise<Polled> {
  const { jobQueue } = deps.ciSystemOf(system.name);
  const [profile] = profilesOf(system, deps.profiles);
  if (jobQueue === undefined || profile === undefined) throw new TypeError(`${system.name} has no queue of messages`);
  const held = await hold(deps, system, waitMs);
  try {
    return await readNext(deps, system, { held, jobQueue, profile, waitMs });
  } finally {
    await held.store({ lease: undefined });
  }
}

/** The queue, while this process alone reads it. */
class Held {
  state: QueueCursor;
  revision: number;
  readonly #deps: Pick<PollDeps, 'cursors'>;
  readonly #name: string;

  constructor(deps: Pick<PollDeps, 'cursors'>, name: string, state: QueueCursor, revision: number) {
    this.#deps = deps;
    this.#name = name;
    this.state = state;
    this.revision = revision;
  }

  /** Stores how far this process has got. @throws TransientError CiUnavailable when another one has the queue now */
  async store(changes: { [Key in keyof QueueCursor]?: QueueCursor[Key] | undefined }): Promise<void> {
    this.state = present({ ...this.state, ...changes });
    const revision = await this.#deps.cursors.keep(this.#name, { open: [], queue: this.state }, this.revision);
    if (revision === undefined)
      throw new TransientError('CiUnavailable', `${this.#name}: another process has its queue`);
    this.revision = revision;
  }
}

/** Takes the queue for this process. @throws TransientError CiUnavailable while another process has it */
async function hold(deps: QueueDeps, { name }: CiSystemConfig, waitMs: number): Promise<Held> {
  const { cursor, revision } = await deps.cursors.get(name);
  const { lease } = cursor.queue ?? {};
  const now = deps.nowEpochMs();
  if (lease !== undefined && lease.holder !== deps.queueHolder && lease.untilEpochMs > now) {
    const until = isoTime(lease.untilEpochMs);
    throw new TransientError(
      'CiUnavailable',
      `${name}: another process of davit reads its queue, until ${until} at most`,
    );
  }
  const held = new Held(deps, name, cursor.queue ?? {}, revision);
  await held.store({ lease: { holder: deps.queueHolder, untilEpochMs: now + waitMs + handlingMs } });
  return held;
}

interface Reading {
  held: Held;
  jobQueue: JobQueue;
  profile: Profile;
  waitMs: number;
}

async function readNext(deps: QueueDeps, system: CiSystemConfig, reading: Reading): Promise<Polled> {
  const { held, jobQueue, profile, waitMs } = reading;
  const { labels, runnerGroup: group, repositories } = profile;
  const sessionId = await jobQueue.open({ labels, ...present({ group, repositories }) }, held.state.sessionId);
  // A new session counts its messages anew.
  if (sessionId !== held.state.sessionId) await held.store({ sessionId, lastMessageId: undefined });
  const room = await roomOf(deps, system, profile);
  const { lastMessageId = 0, assigned = 0, offers = [] } = held.state;
  const errors = await acquire(reading, room, assigned, offers);
  const message = await jobQueue.next({ lastMessageId, capacity: room.capacity, waitMs, stopping: deps.stopping });
  let queued = 0;
  if (message !== undefined) {
    const handled = await handle(deps, system, reading, message);
    const left = [...(held.state.offers ?? []), ...message.offers];
    errors.push(
      ...handled.errors,
      ...(await acquire(reading, await roomOf(deps, system, profile), message.assigned, left)),
    );
    queued = handled.queued;
    await jobQueue.acknowledge(message.id);
    // Only now: a message that was not acknowledged must come again.
    held.state = present({ ...held.state, lastMessageId: message.id, failures: undefined });
  }
  return { queued, errors, cursor: { open: [], queue: held.state }, revision: held.revision };
}

/** @throws TransientError when a service did not answer: the message stays unacknowledged, and comes again */
async function handle(deps: PollDeps, system: CiSystemConfig, { held }: Reading, message: QueueMessage) {
  const { unread, id } = message;
  const untold = unread.map((part) => `${system.name}: message ${id}: cannot be read: ${part}`);
  try {
    const handled = await handleNews(deps, system, message);
    return { ...handled, errors: [...untold, ...handled.errors] };
  } catch (error) {
    const failures = (held.state.failures ?? 0) + 1;
    held.state = { ...held.state, failures };
    if (failures < mostFailures) throw error;
    const words = error instanceof Error ? error.message : String(error);
    return { queued: 0, errors: [...untold, `${system.name}: message ${id} is left to reconciling: ${words}`] };
  }
}

/**
 * Asks for jobs that were offered, as many as there is room for. Stores the others: the CI system does not offer them
 * again after the message is acknowledged.
 *
 * @returns the refusal of the CI system, which then offers the jobs to others
 */
async function acquire(
  { held, jobQueue }: Reading,
  { capacity, free }: Room,
  assigned: number,
  offers: readonly number[],
): Promise<string[]> {
  const wanted = [...new Set(offers)];
  // GitHub has counted a job too late before: the slots that are held count, too.
  const most = Math.max(0, Math.min(free, capacity - assigned));
  const now = wanted.slice(0, most);
  const left = wanted.slice(most);
  const errors: string[] = [];
  const acquired = await acquireNow(jobQueue, now, errors);
  const state = { assigned: assigned + acquired, offers: left.length === 0 ? undefined : left };
  if (wanted.length > 0) await held.store(state);
  else held.state = present({ ...held.state, ...state });
  return errors;
}

async function acquireNow(jobQueue: JobQueue, offers: readonly number[], errors: string[]): Promise<number> {
  if (offers.length === 0) return 0;
  try {
    return (await jobQueue.acquire(offers)).length;
  } catch (error) {
    // The message would come again, and be refused again.
    if (!(error instanceof TerminalError)) throw error;
    errors.push(error.message);
    return 0;
  }
}

interface Room {
  /** How many jobs davit can have at once, with those of the CI system that it has. */
  capacity: number;
  /** How many agents more there may be now. */
  free: number;
}

/** Reads the limits. One of single repositories is not known before the job is, and lets it wait. */
async function roomOf(
  { agentLimits, slots, ciSystems }: Pick<PollDeps, 'agentLimits' | 'slots' | 'ciSystems'>,
  system: CiSystemConfig,
  profile: Profile,
): Promise<Room> {
  const { organization, repository = '' } = scaleSetOf(system) ?? {};
  const [owner = '', name] = organization === undefined ? repository.split('/') : [organization];
  const job = { ciSystem: system.name, repository: { owner, ...present({ name }) } };
  const room: Room = { capacity: withoutLimit, free: withoutLimit };
  for (const { key, maxAgents } of slotLimitsOf(agentLimits, profile, job)) {
    const held = [...(await slots.get(key)).values()];
    const others = held.filter(({ launchId }) => ciSystemOf(launchId, ciSystems) !== system.name);
    room.capacity = Math.min(room.capacity, Math.max(0, maxAgents - others.length));
    room.free = Math.min(room.free, Math.max(0, maxAgents - held.length));
  }
  return room;
}

/** The CI system of a launch: its name begins the launch's id, and may begin another system's name. */
function ciSystemOf(launchId: string, ciSystems: PollDeps['ciSystems']): string | undefined {
  const names = ciSystems.map(({ name }) => name).filter((name) => launchId.startsWith(`${name}-`));
  return names.toSorted((one, other) => other.length - one.length)[0];
}
