import { type Ending, isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import type { Run } from '../run-seed.ts';
import { type FaultKind, faultKinds } from '../world/fault-kinds.ts';
import type { Happening, HistoryEvent } from '../world/history.ts';

/** One kind of event in the history. */
export type EventOf<Kind extends Happening['kind']> = Extract<HistoryEvent, { kind: Kind }>;

/** One object's life. */
export interface ObjectLife {
  created: EventOf<'created'>;
  goneAtEpochMs: number | undefined;
  /** The number of its nodePort, and when it got it. */
  port: EventOf<'portAllocated'> | undefined;
  bound: EventOf<'podBound'> | undefined;
  /** When its phase became Succeeded or Failed. */
  over: EventOf<'podOver'> | undefined;
  /** When infrastructure took it, and how. A Pod whose node is lost may be preempted later. */
  taken: EventOf<'podTaken'>[];
  /** Its containers that ended by themselves. */
  ended: EventOf<'containerEnded'>[];
}

/** One launch's life. */
export interface LaunchLife {
  launchId: string;
  /** Whether it began after the record of an earlier one had expired. */
  isSecond: boolean;
  events: HistoryEvent[];
  /** The changes of its record's status, and the beginnings of its later generations. */
  recorded: EventOf<'recorded'>[];
  relaunched: EventOf<'relaunched'>[];
  /** The kinds of fault that it met, including those that affect every launch. */
  faults: Set<FaultKind>;
  /** Its record at the end of the run. */
  record: LaunchRecord | undefined;
  /** When its agent was first recorded as connected, and the agent's name. */
  connectedAtEpochMs: number | undefined;
  connectedAgent: string | undefined;
  /** Its first ending, and when it was recorded. */
  ending: (Ending & { recordedAtEpochMs: number; agentName: string | undefined }) | undefined;
}

/** The evidence of a run: its history, sorted by subject. */
export class Evidence {
  readonly run: Run;
  readonly launches = new Map<string, LaunchLife>();
  readonly objects = new Map<string, ObjectLife>();
  /** All events except faults and failed calls, which are most of a history. */
  readonly acts: HistoryEvent[] = [];
  /** The launches whose records expired and were removed. */
  readonly forgotten = new Set<string>();
  /** When the last two undisturbed sweeps began; nothing else happens between them. */
  readonly sweptAtEpochMs: number;
  readonly sweptAgainAtEpochMs: number;
  /** When the third of the last sweeps began: it finishes a clean-up that was slow after the second. */
  readonly sweptFinallyAtEpochMs: number;
  readonly #byKind = new Map<Happening['kind'], HistoryEvent[]>();
  readonly #objectsByLaunch = new Map<string, ObjectLife[]>();

  constructor(run: Run) {
    this.run = run;
    const swept: number[] = [];
    const everybodys = new Set<FaultKind>();
    for (const event of run.history) {
      listIn(this.#byKind, event.kind).push(event);
      if (event.kind !== 'fault' && event.kind !== 'callFailed') this.acts.push(event);
      if (event.kind === 'sweptLast') swept.push(event.atEpochMs);
      if (event.kind === 'fault' && event.launchId === undefined) everybodys.add(event.fault);
      this.#takeObject(event);
      if ('launchId' in event && event.launchId !== undefined) this.#takeLaunch(event, event.launchId);
    }
    [this.sweptAtEpochMs = Infinity, this.sweptAgainAtEpochMs = Infinity, this.sweptFinallyAtEpochMs = Infinity] =
      swept;
    for (const life of this.launches.values()) {
      for (const fault of everybodys) life.faults.add(fault);
      life.record ??= run.world.launches.latestOf(life.launchId);
    }
  }

  *of<Kind extends Happening['kind']>(kind: Kind): Iterable<EventOf<Kind>> {
    for (const event of this.#byKind.get(kind) ?? []) if (isOf(event, kind)) yield event;
  }

  /** The objects with a launch's label. */
  objectsOf(launchId: string): readonly ObjectLife[] {
    return this.#objectsByLaunch.get(launchId) ?? [];
  }

  /** A launch's latest life with a record, otherwise its latest life. */
  lifeOf(launchId: string): LaunchLife | undefined {
    const life = this.launches.get(launchId);
    return life?.record === undefined ? (this.launches.get(forgottenKey(launchId)) ?? life) : life;
  }

  /** Every event of a launch, also of its life before its record expired. */
  eventsOf(launchId: string): HistoryEvent[] {
    return [
      ...(this.launches.get(forgottenKey(launchId))?.events ?? []),
      ...(this.launches.get(launchId)?.events ?? []),
    ];
  }

  /** The plan of a launch, also when its record has expired. */
  planOf(launchId: string | undefined): LaunchRecord['plan'] {
    const lives = [this.launches.get(launchId ?? ''), this.launches.get(forgottenKey(launchId ?? ''))];
    return lives.find((life) => life?.record?.plan !== undefined)?.record?.plan;
  }

  #forget(life: LaunchLife, record: LaunchRecord): void {
    life.record = record;
    this.forgotten.add(life.launchId);
    this.launches.delete(life.launchId);
    this.launches.set(forgottenKey(life.launchId), life);
  }

  #takeObject(event: HistoryEvent): void {
    if (event.kind === 'created') {
      const created = newObject(event);
      this.objects.set(event.uid, created);
      if (event.launchId !== undefined) listIn(this.#objectsByLaunch, event.launchId).push(created);
      return;
    }
    const object = 'uid' in event ? this.objects.get(event.uid) : undefined;
    if (object === undefined) return;
    if (event.kind === 'gone') object.goneAtEpochMs = event.atEpochMs;
    if (event.kind === 'portAllocated') object.port = event;
    if (event.kind === 'podBound') object.bound = event;
    if (event.kind === 'podOver') object.over = event;
    if (event.kind === 'podTaken') object.taken.push(event);
    if (event.kind === 'containerEnded') object.ended.push(event);
  }

  #takeLaunch(event: HistoryEvent, launchId: string): void {
    const known = this.launches.get(launchId);
    const life = known ?? newLife(launchId, this.forgotten.has(launchId));
    if (known === undefined) this.launches.set(launchId, life);
    life.events.push(event);
    if (event.kind === 'forgotten') this.#forget(life, event.record);
    if (event.kind === 'fault') life.faults.add(event.fault);
    if (event.kind === 'recorded') life.recorded.push(event);
    if (event.kind === 'relaunched') life.relaunched.push(event);
    if (event.kind === 'recorded' && event.to === 'connected' && life.connectedAtEpochMs === undefined) {
      life.connectedAtEpochMs = event.atEpochMs;
      life.connectedAgent = event.agentName;
    }
    if (event.kind === 'recorded' && event.ending !== undefined && life.ending === undefined) {
      life.ending = { ...event.ending, recordedAtEpochMs: event.atEpochMs, agentName: event.agentName };
    }
  }
}

function newObject(created: EventOf<'created'>): ObjectLife {
  return {
    created,
    goneAtEpochMs: undefined,
    port: undefined,
    bound: undefined,
    over: undefined,
    taken: [],
    ended: [],
  };
}

function newLife(launchId: string, isSecond: boolean): LaunchLife {
  return {
    launchId,
    isSecond,
    events: [],
    recorded: [],
    relaunched: [],
    faults: new Set(),
    record: undefined,
    connectedAtEpochMs: undefined,
    connectedAgent: undefined,
    ending: undefined,
  };
}

function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: Item[] = [];
  lists.set(key, list);
  return list;
}

function forgottenKey(launchId: string): string {
  return `${launchId}, forgotten`;
}

function isOf<Kind extends Happening['kind']>(event: HistoryEvent, kind: Kind): event is EventOf<Kind> {
  return event.kind === kind;
}

/** Says whether no event of a launch could end it. */
export function isUntroubled({ faults }: LaunchLife): boolean {
  return [...faults].every((fault) => faultKinds[fault].harmless);
}

/** Says whether a launch was over when everything had come to rest. */
export function isOver({ record }: LaunchLife): boolean {
  return record !== undefined && !isLive(record);
}

/** Two clocks may each be 2 s off; the rest is for calls on the way. */
export const skewMs = 5000;

/** Says whether somebody else deleted one of a launch's objects, or it was gone, at a moment. */
export function wasDeleted({ run }: Evidence, objects: readonly ObjectLife[], untilEpochMs: number): boolean {
  const uids = new Set(objects.map(({ created }) => created.uid));
  return run.history.some(
    (event) =>
      event.atEpochMs <= untilEpochMs &&
      ((event.kind === 'deleted' && event.by !== 'davit' && uids.has(event.uid)) ||
        (event.kind === 'gone' && uids.has(event.uid))),
  );
}

/** A condition that must hold in every run. */
export interface Invariant {
  name: string;
  /** @returns its violations, one line each */
  readonly check: (evidence: Evidence) => Iterable<string>;
}

/** The jobs that wait in more than so many rounds, one after the other. */
export function* waitingIn(rounds: Iterable<readonly string[]>, most: number): Iterable<string> {
  let counts = new Map<string, number>();
  for (const waiting of rounds) {
    counts = new Map(waiting.map((job) => [job, (counts.get(job) ?? 0) + 1]));
    for (const [job, count] of counts) if (count === most + 1) yield job;
  }
}
