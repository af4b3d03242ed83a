import type { Join } from '../../core/ci/join.ts';
import { retrySecondsUntil } from '../../core/ci/request-pace.ts';
import { DavitError, TerminalError, TransientError } from '../../core/errors/errors.ts';
import { isCiTrouble, isJoinable, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { AgentName, LaunchId } from '../../core/launch/names.ts';
import { RegistrationOutcome } from '../../core/launch/registration-outcome.ts';
import { runnerNameOf } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { PaceRefusal, PlannedRequests, SystemPace } from '../../logic/pace/system-pace.ts';
import type { CiSystem, Registration } from '../../ports/ci-system.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';

/** The agent to register, and the nonce that its registration was begun with. */
export const RegisterRunnerInput = z.object({
  launchId: LaunchId,
  agentName: AgentName,
  nonce: z.string().check(z.minLength(1)),
});
type Input = z.infer<typeof RegisterRunnerInput>;

/** The outcome. */
export const RegisterRunnerOutput = RegistrationOutcome;

/** The dependencies of registering an agent. */
export interface RegisterRunnerDeps {
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  registrations: Pick<Registrations, 'take' | 'complete' | 'noteDeregistered'>;
  /** @throws TerminalError CiRefused for a name that is not in davit.yaml, or has no credential there */
  ciSystemOf: (
    name: string,
  ) => Pick<
    CiSystem,
    'register' | 'removeIfIdle' | 'runnersNamed' | 'mayHaveHadJob' | 'usage' | 'idsAreNames' | 'pinned'
  >;
  pace: Pick<SystemPace, 'take' | 'heed'>;
  installationId: string;
  /** Makes a text that no other registration has. */
  newNonce: () => string;
  nowEpochMs: () => number;
}

/** A registration in progress, and what it needs. */
interface Attempt {
  input: Input;
  join: Join;
  ci: ReturnType<RegisterRunnerDeps['ciSystemOf']>;
  runnerName: string;
}

type Refusal = Extract<RegistrationOutcome, { outcome: 'superseded' | 'over' }>;

/**
 * Registers an agent at its CI system when it connects, as `connect` asks, and marks its launch as connected. Only the
 * answer contains the secret that the agent joins with.
 *
 * First replaces the registration's nonce by one of its own, so that only one run registers even if this function runs
 * twice for one request. From then on, `nonce` is the new one.
 *
 * An agent asks again when an answer was lost. davit first removes its earlier runner, so that at most one is left. If
 * that runner runs a job, may have had one, or is gone because it has run one, the agent gets no other. A removal whose answer is lost looks
 * the same, and costs a launch.
 *
 *     begin ── register 7 ── complete ── 200 lost
 *                                          begin ── remove 7, noted ── register 9 ── complete ── 200
 *     begin ── register 7 ── crash
 *                              begin ── second registration: find 7 by name, remove it ── register 9 ── …
 *     begin ── register 7 ── complete? ended, retired or begun again by then: refused ── remove 7
 *
 * Asks the CI system only when the pace of all functions lets it. An agent whose turn has not come is told when to ask
 * again; its registration is not taken, so nothing has to be undone.
 *
 * @returns `unavailable` in the CI system's words, which are also the launch's signal
 * @throws TransientError StoreUnavailable, or CiUnavailable: then a runner may be left behind, which the next
 *   registration or reconcile finds by its name
 */
export async function registerRunner(deps: RegisterRunnerDeps, asked: Input): Promise<RegistrationOutcome> {
  const begun = await deps.launches.get(asked.launchId);
  const refusal = refusalOf(begun, asked);
  if (begun === undefined || refusal !== undefined) return refusal ?? { outcome: 'over' };
  const join = begun.plan?.join;
  if (join === undefined)
    throw new TerminalError('InputInvalid', 'the launch joins no CI system', { launchId: asked.launchId });
  const isFirst = begun.registration?.isTaken === undefined;
  const tooEarly = await deps.pace.take(join.ciSystem, 'registration', requestsOf(begun, isFirst));
  if (tooEarly !== undefined) return askAgain(deps, begun, tooEarly);
  const input = { ...asked, nonce: deps.newNonce() };
  const record = await deps.registrations.take(asked, asked.nonce, input.nonce);
  if (record === undefined) return refused(deps, input);
  const made = await throughTrouble(deps, record, join, async () => {
    const runnerName = runnerNameOf(deps.installationId, input.agentName);
    const attempt = { input, join, ci: deps.ciSystemOf(join.ciSystem), runnerName };
    return (await leaveEarlier(deps, attempt, record, isFirst)) ?? (await register(deps, attempt));
  });
  return 'outcome' in made ? made : complete(deps, input, join, made);
}

/** The requests that a registration makes: one after an earlier one also removes its runner, by its id and by its name. */
function requestsOf({ runner, deregisteredAtEpochMs }: LaunchRecord, isFirst: boolean): PlannedRequests {
  if (isFirst) return { writes: 1 };
  return { reads: 1, writes: runner !== undefined && deregisteredAtEpochMs === undefined ? 2 : 1 };
}

/** Tells an agent when its turn comes, and the person who waits why. */
async function askAgain(
  deps: RegisterRunnerDeps,
  record: LaunchRecord,
  { detail, untilEpochMs }: PaceRefusal,
): Promise<RegistrationOutcome> {
  const code = 'CiUnavailable';
  await noteTrouble(deps, record, code, detail);
  const retryAfterSeconds = retrySecondsUntil(untilEpochMs, deps.nowEpochMs());
  return { outcome: 'unavailable', code, detail, retryAfterSeconds };
}

/** @returns why this registration must not go on; undefined when it may */
function refusalOf(record: LaunchRecord | undefined, { agentName, nonce }: Input): Refusal | undefined {
  if (!isJoinable(record, agentName)) return { outcome: 'over' };
  return record?.registration?.nonce === nonce ? undefined : { outcome: 'superseded' };
}

/** Removes earlier runners of this agent from the CI system. @returns undefined when none is left */
async function leaveEarlier(
  deps: RegisterRunnerDeps,
  { input, join, ci, runnerName }: Attempt,
  { runner, deregisteredAtEpochMs }: LaunchRecord,
  isFirst: boolean,
): Promise<Refusal | undefined> {
  if (runner !== undefined && deregisteredAtEpochMs === undefined) {
    // Its agent must not get another job's secrets. A runner that is gone without davit's doing has run its job, too.
    if (await ci.mayHaveHadJob?.(join.scope, runner.id)) return { outcome: 'over' };
    if ((await ci.removeIfIdle(join.scope, runner.id, join.pinnedTo)) !== 'removed') return { outcome: 'over' };
    // Where a job is held for its agent, nothing was registered, and the next registration has the same runner. A note that
    // is late would be of that one: davit would end its agent without a look whether it runs the job.
    if (ci.pinned?.lease === undefined)
      await deps.registrations.noteDeregistered(input.launchId, runner.id, deps.nowEpochMs());
  }
  return isFirst ? undefined : removeNamesakes(deps, { input, join, ci, runnerName });
}

/**
 * Removes the runners of this name, which an unfinished registration left. Reads the record after the list: while the
 * nonce is still this one, every listed runner is of an earlier registration, however late it is removed.
 */
async function removeNamesakes(
  deps: RegisterRunnerDeps,
  { input, join, ci, runnerName }: Attempt,
): Promise<Refusal | undefined> {
  const found = await ci.runnersNamed(join.scope, runnerName);
  const refusal = refusalOf(await deps.launches.get(input.launchId), input);
  if (refusal !== undefined) return refusal;
  for (const { id } of found) {
    if ((await ci.removeIfIdle(join.scope, id)) === 'busy') return { outcome: 'over' };
  }
  return undefined;
}

/** Registers the agent. Where names are unique, a namesake of an earlier registration may stand in the way. */
async function register(deps: RegisterRunnerDeps, attempt: Attempt): Promise<Registration | Refusal> {
  const { join, ci, runnerName: name } = attempt;
  const { labels, runnerGroup: group, repositories, pinnedTo } = join;
  const runner = { name, labels, ...present({ group, repositories, pinnedTo }) };
  try {
    return await ci.register(join.scope, runner);
  } catch (error) {
    if (!(error instanceof TransientError && error.code === 'WriteConflict')) throw error;
    return (await removeNamesakes(deps, attempt)) ?? (await ci.register(join.scope, runner));
  }
}

/**
 * Stores the runner. If the launch has gone on without it, removes the runner again, unless a later registration has made
 * it anew:
 *
 *     first    registers N ─────────────────────────────────► completes? superseded: N is no longer this one's
 *     second       begins ── removes N ── registers N ── completes
 */
async function complete(
  deps: RegisterRunnerDeps,
  input: Input,
  { scope, ciSystem, pinnedTo }: Join,
  { runner, environment }: Registration,
): Promise<RegistrationOutcome> {
  const plan = await deps.registrations.complete(input, input.nonce, runner, deps.nowEpochMs());
  if (plan !== undefined) return { outcome: 'registered', environment: { ...environment } };
  const ci = deps.ciSystemOf(ciSystem);
  const now = await deps.launches.get(input.launchId);
  const refusal = refusalOf(now, input) ?? { outcome: 'superseded' };
  const isOthers = ci.idsAreNames && (refusal.outcome === 'superseded' || now?.runner?.id === runner.id);
  // No agent has the secret of its own runner, so that one runs nothing.
  if (!isOthers) await ci.removeIfIdle(scope, runner.id, pinnedTo);
  return refusal;
}

/** @returns why a write was refused */
async function refused(deps: RegisterRunnerDeps, input: Input): Promise<Refusal> {
  return refusalOf(await deps.launches.get(input.launchId), input) ?? { outcome: 'superseded' };
}

/** Turns the CI system's error into an answer, and into a signal for the person who waits. Shares the pause that it asks for. */
async function throughTrouble<Made>(
  deps: RegisterRunnerDeps,
  record: LaunchRecord,
  { ciSystem }: Join,
  attempt: () => Promise<Made>,
): Promise<Made | RegistrationOutcome> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof DavitError && (isCiTrouble(error) || error.code === 'WriteConflict'))) throw error;
    const { detail } = error;
    const code = error.code === 'WriteConflict' ? 'CiUnavailable' : error.code;
    await noteTrouble(deps, record, code, detail);
    if (error.code === 'CiUnavailable') await deps.pace.heed(ciSystem, deps.ciSystemOf(ciSystem));
    return { outcome: 'unavailable', code, detail };
  }
}

/** Keeps a signal of the Pod, because its grace period counts from it. */
async function noteTrouble(
  { launches, nowEpochMs }: RegisterRunnerDeps,
  { launchId, signal }: LaunchRecord,
  code: string,
  detail: string,
): Promise<void> {
  if (signal !== undefined && !isCiTrouble(signal)) return;
  await launches.noteSignal(launchId, { code, detail, sinceEpochMs: nowEpochMs() });
}
