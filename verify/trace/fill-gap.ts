import { isDeepStrictEqual } from 'node:util';
import type { WrittenLaunch } from '../../core/trace/written.ts';
import { whyNotAllowed } from './allowed.ts';
import { type LaunchField, launchRules, planFields } from './launch-rules.ts';

/** Fields that any step of a launch may leave in any state: they prove nothing about the steps between. */
const passing: readonly LaunchField[] = ['signal', 'cleanUpAskedAtEpochMs'];
const unseen = 'unseen';

/**
 * Says whether some order of steps that the trace lacks leads from one state of a launch to another: a function that dies
 * right after a write does not log it. Searches all states that the missing steps can have made, as far as the two known
 * states show what they did.
 *
 * @param missing how many steps are missing at most
 * @param command the step that was seen, which made `after`
 */
export function isFilled(before: WrittenLaunch, missing: number, command: string, after: WrittenLaunch): boolean {
  const goal = withoutPassing(after);
  let reached: WrittenLaunch[] = [withoutPassing(before)];
  const known = new Set(reached.map((state) => JSON.stringify(state)));
  for (let steps = 0; steps <= missing && reached.length > 0; steps += 1) {
    if (reached.some((state) => leadsTo(state, command, goal))) return true;
    reached = reached.flatMap((state) => nextStates(state, goal)).filter((state) => isNew(known, state));
  }
  return false;
}

function isNew(known: Set<string>, state: WrittenLaunch): boolean {
  const text = JSON.stringify(state);
  if (known.has(text)) return false;
  known.add(text);
  return true;
}

function withoutPassing(state: WrittenLaunch): WrittenLaunch {
  return withoutUndefined({ ...state, ...Object.fromEntries(passing.map((name) => [name, undefined])) });
}

function leadsTo(state: WrittenLaunch, command: string, goal: WrittenLaunch): boolean {
  const rule = launchRules[command];
  const isUnseen =
    rule?.changes.every(
      (name) =>
        passing.includes(name) ||
        planFields.includes(name) ||
        (name === 'hold' && isDeepStrictEqual(state.hold, goal.hold)),
    ) === true;
  return isUnseen ? isDeepStrictEqual(state, goal) : whyNotAllowed(command, state, goal) === undefined;
}

/** The states that one step can make, with the values that the goal shows, or unseen ones. */
function nextStates(state: WrittenLaunch, goal: WrittenLaunch): WrittenLaunch[] {
  return candidates(state, goal)
    .filter(({ command, made }) => whyNotAllowed(command, state, made) === undefined)
    .map(({ made }) => made);
}

function candidates(state: WrittenLaunch, goal: WrittenLaunch): { command: string; made: WrittenLaunch }[] {
  const { ending, generations } = goal;
  const connectedAtEpochMs = state.connectedAtEpochMs ?? goal.connectedAtEpochMs ?? 0;
  const next = state.generations.length + 1;
  const agentName = generations[next]?.agentName ?? goal.agentName;
  const cluster = generations[next]?.cluster ?? goal.cluster;
  const { registration: _registration, ...unregistered } = state;
  const held = goal.hold === undefined ? {} : { hold: { untilEpochMs: goal.hold.untilEpochMs } };
  const count = (state.registration?.count ?? 0) + 1;
  const begunAtEpochMs = Math.max(
    (state.registration?.begunAtEpochMs ?? 0) + 1,
    (goal.registration?.begunAtEpochMs ?? 0) - ((goal.registration?.count ?? count) - count),
  );
  const nonces = [goal.registration?.nonce ?? unseen, `${unseen} ${count}`];
  const runners = [goal.runnerId ?? -1, -count];
  const made = (command: string, fields: Partial<WrittenLaunch>) => ({ command, made: { ...state, ...fields } });
  return [
    made('markConnected', { status: 'connected', connectedAtEpochMs }),
    ...standbyCandidates(state, goal).map(({ command, fields }) => made(command, fields)),
    {
      command: 'relaunch',
      made: withoutUndefined({
        ...unregistered,
        agentName,
        cluster,
        generation: (state.generation ?? 0) + 1,
        generations: generations.slice(0, next),
      }),
    },
    ...(ending === undefined ? [] : [made('end', { status: 'cleaning', ending, ...held })]),
    ...(goal.hold?.releasedAtEpochMs === undefined ? [] : [made('end', { hold: goal.hold })]),
    ...nonces.map((nonce) => made('begin', { registration: { nonce, begunAtEpochMs, count } })),
    ...(state.registration === undefined
      ? []
      : nonces.map((nonce) =>
          made('take', { registration: { begunAtEpochMs: 0, count: 0, ...state.registration, nonce } }),
        )),
    ...runners.map((runnerId) => ({
      command: 'complete',
      made: withoutUndefined({
        ...state,
        status: 'connected' as const,
        connectedAtEpochMs,
        runnerId,
        deregisteredAtEpochMs: undefined,
      }),
    })),
    ...(goal.runs === undefined
      ? []
      : [
          made('bind', { runs: goal.runs }),
          made('bind', withoutUndefined({ runs: goal.runs, ranAtEpochMs: goal.ranAtEpochMs })),
        ]),
    ...(goal.retiring === undefined ? [] : [made('retire', { retiring: goal.retiring })]),
    made('noteDeregistered', { deregisteredAtEpochMs: goal.deregisteredAtEpochMs ?? 0 }),
    ...(state.ending === undefined
      ? []
      : [
          made(
            'markCleaned',
            withoutUndefined({ status: state.ending.outcome, cleanedAtEpochMs: goal.cleanedAtEpochMs }),
          ),
          made('markLeft', withoutUndefined({ status: state.ending.outcome, left: goal.left })),
        ]),
  ];
}

/** The steps of an agent that stands by, as far as the goal shows them. */
function standbyCandidates(
  state: WrittenLaunch,
  { standby: goal }: WrittenLaunch,
): { command: string; fields: Partial<WrittenLaunch> }[] {
  if (goal === undefined) return [];
  const { sinceEpochMs, renewals, summonedFor } = goal;
  const known = state.standby ?? { sinceEpochMs };
  const stoodBy = { status: 'connected', connectedAtEpochMs: sinceEpochMs, standby: { sinceEpochMs } } as const;
  return [
    { command: 'standBy', fields: stoodBy },
    ...(renewals === undefined ? [] : [{ command: 'noteRenewal', fields: { standby: { ...known, renewals } } }]),
    ...(summonedFor === undefined ? [] : [{ command: 'summon', fields: { standby: { ...known, summonedFor } } }]),
  ];
}

/** A record in a trace has no undefined fields. */
function withoutUndefined<Fields extends object>(fields: { [Name in keyof Fields]: Fields[Name] | undefined }): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
