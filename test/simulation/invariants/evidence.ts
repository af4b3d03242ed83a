import type { Ending, LaunchRecord } from '../../../functions/domain/launch-record.ts';
import { isLive } from '../../../functions/domain/launch-record.ts';
import type { Run } from '../run-seed.ts';
import { type FaultKind, faultKinds } from '../world/fault-kinds.ts';
import type { Happening, HistoryEvent } from '../world/history.ts';

type EventOf<Kind extends Happening['kind']> = Extract<HistoryEvent, { kind: Kind }>;

/** One object's life. */
export interface ObjectLife {
  created: EventOf<'created'>;
  goneAtEpochMs: number | undefined;
  /** The moment and number of its nodePort. */
  port: EventOf<'portAllocated'> | undefined;
  bound: EventOf<'podBound'> | undefined;
}

/** One launch's life. */
export interface LaunchLife {
  launchId: string;
  events: HistoryEvent[];
  /** The kinds of fault that it met, those that everybody met included. */
  faults: Set<FaultKind>;
  /** Its record as it was left. */
  record: LaunchRecord | undefined;
  /** Its first ending, and when it was recorded. */
  ending: (Ending & { recordedAtEpochMs: number }) | undefined;
}

/** What a run has left to be judged by: its history, sorted by what it is about. */
export class Evidence {
  readonly run: Run;
  readonly launches = new Map<string, LaunchLife>();
  readonly objects = new Map<string, ObjectLife>();
  /** When the last sweep but one began, and the last one: with nothing to disturb them, and all at rest in between. */
  readonly sweptAtEpochMs: number;
  readonly sweptAgainAtEpochMs: number;

  constructor(run: Run) {
    this.run = run;
    const swept: number[] = [];
    const everybodys = new Set<FaultKind>();
    for (const event of run.history) {
      if (event.kind === 'sweptLast') swept.push(event.atEpochMs);
      if (event.kind === 'fault' && event.launchId === undefined) everybodys.add(event.fault);
      this.#takeObject(event);
      if ('launchId' in event && event.launchId !== undefined) this.#takeLaunch(event, event.launchId);
    }
    [this.sweptAtEpochMs = Infinity, this.sweptAgainAtEpochMs = Infinity] = swept;
    for (const life of this.launches.values()) {
      for (const fault of everybodys) life.faults.add(fault);
      life.record = run.world.launches.get(life.launchId);
    }
  }

  /** Every event of a kind, in its order. */
  *of<Kind extends Happening['kind']>(kind: Kind): Iterable<EventOf<Kind>> {
    for (const event of this.run.history) if (isOf(event, kind)) yield event;
  }

  /** The objects with a launch's label. */
  objectsOf(launchId: string): ObjectLife[] {
    return [...this.objects.values()].filter(({ created }) => created.launchId === launchId);
  }

  #takeObject(event: HistoryEvent): void {
    if (event.kind === 'created') {
      this.objects.set(event.uid, { created: event, goneAtEpochMs: undefined, port: undefined, bound: undefined });
      return;
    }
    const object = 'uid' in event ? this.objects.get(event.uid) : undefined;
    if (object === undefined) return;
    if (event.kind === 'gone') object.goneAtEpochMs = event.atEpochMs;
    if (event.kind === 'portAllocated') object.port = event;
    if (event.kind === 'podBound') object.bound = event;
  }

  #takeLaunch(event: HistoryEvent, launchId: string): void {
    const known = this.launches.get(launchId);
    const life = known ?? { launchId, events: [], faults: new Set(), record: undefined, ending: undefined };
    if (known === undefined) this.launches.set(launchId, life);
    life.events.push(event);
    if (event.kind === 'fault') life.faults.add(event.fault);
    if (event.kind === 'recorded' && event.ending !== undefined && life.ending === undefined) {
      life.ending = { ...event.ending, recordedAtEpochMs: event.atEpochMs };
    }
  }
}

function isOf<Kind extends Happening['kind']>(event: HistoryEvent, kind: Kind): event is EventOf<Kind> {
  return event.kind === kind;
}

/** Says whether a launch met nothing that could end it. */
export function isUntroubled({ faults }: LaunchLife): boolean {
  return [...faults].every((fault) => faultKinds[fault].harmless);
}

/** Says whether a launch was over when everything had come to rest. */
export function isOver({ record }: LaunchLife): boolean {
  return record !== undefined && !isLive(record);
}

/** Something that must hold in every run, whatever happens in it. */
export interface Invariant {
  name: string;
  /** @returns what breaks it, one line each */
  readonly check: (evidence: Evidence) => Iterable<string>;
}
