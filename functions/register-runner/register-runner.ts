import { DavitError, TerminalError, TransientError } from '../domain/errors.ts';
import type { Join } from '../domain/join.ts';
import { isCiTrouble, isPresentAgent, type LaunchRecord } from '../domain/launch-record.ts';
import { AgentName, LaunchId } from '../domain/names.ts';
import { RegistrationOutcome } from '../domain/registration-outcome.ts';
import { runnerNameOf } from '../domain/runner-names.ts';
import type { CiSystem, Registration } from '../ports/ci-system.ts';
import type { Launches } from '../ports/launches.ts';
import type { Registrations } from '../ports/registrations.ts';
import * as z from '../zod.ts';

/** Which agent is to be registered, and the nonce with which its registration was begun. */
export const RegisterRunnerInput = z.object({
  launchId: LaunchId,
  agentName: AgentName,
  nonce: z.string().check(z.minLength(1)),
});
type Input = z.infer<typeof RegisterRunnerInput>;

/** What came of it. */
export const RegisterRunnerOutput = RegistrationOutcome;

/** What registering an agent needs. */
export interface RegisterRunnerDeps {
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  registrations: Pick<Registrations, 'complete' | 'noteDeregistered'>;
  /** @throws TerminalError CiRefused for a name that davit.yaml does not have, or not with a credential */
  ciSystemOf: (name: string) => Pick<CiSystem, 'register' | 'removeIfIdle' | 'findRunners'>;
  installationId: string;
  nowEpochMs: () => number;
}

/** A registration that goes on, and what it needs. */
interface Attempt {
  input: Input;
  join: Join;
  ci: ReturnType<RegisterRunnerDeps['ciSystemOf']>;
  runnerName: string;
}

/** Why a registration goes no further. */
type Refusal = Extract<RegistrationOutcome, { outcome: 'superseded' | 'over' }>;

/**
 * Registers an agent at its CI system, and marks its launch as connected. The secret that the agent joins with is in the
 * answer and nowhere else.
 *
 * An agent asks again when an answer was lost. Its earlier runner is taken out first, so that at most one is left; if that
 * one runs a job, the agent has had its chance.
 *
 *     begin ── register 7 ── complete ── 200 lost
 *                                          begin ── remove 7, noted ── register 9 ── complete ── 200
 *     begin ── register 7 ── crash
 *                              begin ── second registration: find 7 by name, remove it ── register 9 ── …
 *     begin ── register 7 ── complete? ended, retired or begun anew meanwhile: refused ── remove 7
 *
 * @returns `unavailable` in the CI system's words, which the launch's signal has, too
 * @throws TransientError StoreUnavailable, or CiUnavailable with a runner left behind that the next registration or
 *   reconcile finds by its name
 */
export async function registerRunner(deps: RegisterRunnerDeps, input: Input): Promise<RegistrationOutcome> {
  const record = await deps.launches.get(input.launchId);
  const refusal = refusalOf(record, input);
  if (refusal !== undefined) return refusal;
  const join = record?.plan?.join;
  if (join === undefined)
    throw new TerminalError('InputInvalid', 'the launch joins no CI system', { launchId: input.launchId });
  const made = await throughTrouble(deps, record, input, async () => {
    const runnerName = runnerNameOf(deps.installationId, input.agentName);
    const attempt = { input, join, ci: deps.ciSystemOf(join.ciSystem), runnerName };
    return (await leaveEarlier(deps, attempt, record)) ?? (await register(deps, attempt));
  });
  return 'outcome' in made ? made : complete(deps, input, join, made);
}

/** @returns why no runner is to be registered for this registration; undefined when one is */
function refusalOf(record: LaunchRecord | undefined, { agentName, nonce }: Input): Refusal | undefined {
  const isWanted = isPresentAgent(record, agentName) && record?.retiring === undefined && record?.runs === undefined;
  if (!isWanted) return { outcome: 'over' };
  return record?.registration?.nonce === nonce ? undefined : { outcome: 'superseded' };
}

/** Takes earlier runners of this agent out of the CI system. @returns undefined when there are none any more */
async function leaveEarlier(
  deps: RegisterRunnerDeps,
  { input, join, ci, runnerName }: Attempt,
  record: LaunchRecord | undefined,
): Promise<Refusal | undefined> {
  const { runner, deregisteredAtEpochMs, registration } = record ?? {};
  if (runner !== undefined && deregisteredAtEpochMs === undefined) {
    if ((await ci.removeIfIdle(join.scope, runner.id)) === 'busy') return { outcome: 'over' };
    await deps.registrations.noteDeregistered(input.launchId, runner.id, deps.nowEpochMs());
  }
  const isFirst = (registration?.count ?? 1) === 1;
  return isFirst ? undefined : removeNamesakes(deps, { input, join, ci, runnerName });
}

/**
 * Removes the runners of this name, which a registration left that came to no end. The record is read after the list:
 * while the nonce is still this one, what is on the list is of an earlier registration, however late it is removed.
 */
async function removeNamesakes(
  deps: RegisterRunnerDeps,
  { input, join, ci, runnerName }: Attempt,
): Promise<Refusal | undefined> {
  const found = await ci.findRunners(join.scope, runnerName);
  const refusal = refusalOf(await deps.launches.get(input.launchId), input);
  if (refusal !== undefined) return refusal;
  for (const { id, name } of found) {
    if (name === runnerName && (await ci.removeIfIdle(join.scope, id)) === 'busy') return { outcome: 'over' };
  }
  return undefined;
}

/** Registers the agent. Where names are unique, a namesake of an earlier registration may stand in the way. */
async function register(deps: RegisterRunnerDeps, attempt: Attempt): Promise<Registration | Refusal> {
  const { join, ci, runnerName: name } = attempt;
  const runner = { name, labels: join.labels, ...(join.runnerGroup === undefined ? {} : { group: join.runnerGroup }) };
  try {
    return await ci.register(join.scope, runner);
  } catch (error) {
    if (!(error instanceof TransientError && error.code === 'WriteConflict')) throw error;
    return (await removeNamesakes(deps, attempt)) ?? (await ci.register(join.scope, runner));
  }
}

/** Stores the runner, unless the launch has gone on without it: then takes the runner out again. */
async function complete(
  deps: RegisterRunnerDeps,
  input: Input,
  { scope, ciSystem }: Join,
  { runner, environment }: Registration,
): Promise<RegistrationOutcome> {
  const plan = await deps.registrations.complete(input, input.nonce, runner, deps.nowEpochMs());
  if (plan !== undefined) return { outcome: 'registered', environment: { ...environment } };
  // Nobody was given the runner's secret, so it runs nothing.
  await deps.ciSystemOf(ciSystem).removeIfIdle(scope, runner.id);
  return refusalOf(await deps.launches.get(input.launchId), input) ?? { outcome: 'superseded' };
}

/**
 * Makes of the CI system's trouble an answer, and a signal for the person who waits. A signal of the Pod stays: its grace
 * period counts from it.
 */
async function throughTrouble<Made>(
  deps: RegisterRunnerDeps,
  record: LaunchRecord | undefined,
  { launchId }: Input,
  attempt: () => Promise<Made>,
): Promise<Made | RegistrationOutcome> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof DavitError && (isCiTrouble(error) || error.code === 'WriteConflict'))) throw error;
    const { detail } = error;
    const code = error.code === 'WriteConflict' ? 'CiUnavailable' : error.code;
    const { signal } = record ?? {};
    if (signal === undefined || isCiTrouble(signal)) {
      await deps.launches.noteSignal(launchId, { code, detail, sinceEpochMs: deps.nowEpochMs() });
    }
    return { outcome: 'unavailable', code, detail };
  }
}
