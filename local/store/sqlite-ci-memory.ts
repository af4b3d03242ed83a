import { deliveryRetentionMs, FailingDelivery } from '../../core/ci/failing-delivery.ts';
import { PollCursor } from '../../core/ci/poll-cursor.ts';
import { pollTurn } from '../../core/ci/poll-turn.ts';
import { RateSpent } from '../../core/ci/rate-budget.ts';
import { RoundCursor } from '../../core/ci/round-cursor.ts';
import { CommitReport } from '../../core/job/commit-report.ts';
import { LostJobRecord } from '../../core/job/lost-job.ts';
import { recordRetentionSeconds } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import { lostJobsIn } from '../../logic/records/lost-jobs-in.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import type { FailingDeliveries } from '../../ports/failing-deliveries.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import type { PollCursors, StoredCursor } from '../../ports/poll-cursors.ts';
import type { PollTurns } from '../../ports/poll-turns.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import type { ToldJobs } from '../../ports/told-jobs.ts';
import { type Note, type NoteKey, noteOf, notesOf, putNote, setNote } from './notes.ts';
import type { Store } from './open-store.ts';
import { itemOf, sqliteRecords } from './sqlite-records.ts';

const dayMs = 24 * 3_600_000;
const retentionMs = recordRetentionSeconds * 1000;
/** The moment of a note that any later one replaces, and that is kept as good as for ever. */
const kept = { atEpochMs: 0, keepMs: 1000 * 365 * dayMs };

/** Keeps in the store how far the clocks of CI systems are off. */
export function sqliteCiClocks(store: Store): CiClocks {
  return {
    get: async (ciSystem) => z.optional(z.int()).parse(noteOf(store, { kind: 'clock', ciSystem })),
    keep: (ciSystem, aheadMs) => putNote(store, { kind: 'clock', ciSystem, body: aheadMs, ...kept }),
  };
}

/** Keeps in the store the turns of the polls that events ask for. */
export function sqlitePollTurns(store: Store): PollTurns {
  return {
    take: async (ciSystem, nowEpochMs) =>
      store.commit(() => {
        const turn = pollTurn(z.optional(z.int()).parse(noteOf(store, { kind: 'turn', ciSystem })), nowEpochMs);
        if (turn !== undefined) setNote(store, { kind: 'turn', ciSystem, body: turn, ...kept });
        return turn;
      }),
  };
}

/** Keeps in the store how far CI systems have been polled. */
export function sqlitePollCursors(store: Store): PollCursors {
  return {
    get: async (ciSystem) => storedCursor(store, ciSystem),
    keep: async (ciSystem, cursor, revision) =>
      store.commit(() => {
        if (storedCursor(store, ciSystem).revision !== revision) return undefined;
        const next: StoredCursor = { cursor, revision: revision + 1 };
        setNote(store, { kind: 'poll', ciSystem, body: next, ...kept });
        return next.revision;
      }),
  };
}

const Stored = z.object({ cursor: PollCursor, revision: z.int() });

function storedCursor(store: Store, ciSystem: string): StoredCursor {
  const note = noteOf(store, { kind: 'poll', ciSystem });
  return note === undefined ? { cursor: { open: [] }, revision: 0 } : Stored.parse(note);
}

/** Keeps in the store what reconciling has used of rate limits. */
export function sqliteRateSpending(store: Store): RateSpending {
  return {
    get: async (ciSystem) => z.optional(RateSpent).parse(noteOf(store, { kind: 'rate', ciSystem })),
    keep: (ciSystem, spent) => putNote(store, { kind: 'rate', ciSystem, body: spent, ...forADay(spent) }),
  };
}

function forADay({ atEpochMs }: { atEpochMs: number }): Pick<Note, 'atEpochMs' | 'keepMs'> {
  return { atEpochMs, keepMs: dayMs };
}

/** Keeps in the store how far rounds of reconciling have come. */
export function sqliteRoundCursors(store: Store): RoundCursors {
  return {
    get: async (ciSystem) => z.optional(RoundCursor).parse(noteOf(store, { kind: 'cursor', ciSystem })),
    keep: (ciSystem, cursor) => putNote(store, { kind: 'cursor', ciSystem, body: cursor, ...forADay(cursor) }),
  };
}

/** Keeps in the store the webhooks that have not arrived yet. */
export function sqliteFailingDeliveries(store: Store): FailingDeliveries {
  return {
    list: async (ciSystem) =>
      notesOf(store, 'delivery', ciSystem)
        .map((body) => FailingDelivery.parse(body))
        .filter(({ isSettled }) => isSettled !== true),
    keep: (ciSystem, delivery, atEpochMs) => {
      const keepMs = delivery.isSettled === true ? 0 : deliveryRetentionMs;
      return putNote(store, { kind: 'delivery', ciSystem, key: delivery.guid, body: delivery, atEpochMs, keepMs });
    },
  };
}

/** A withdrawn report is kept for longer than an earlier one can be under way. */
const toldMs = { pending: retentionMs, success: dayMs };

/** Keeps the reports on commits in the store. */
export function sqliteToldJobs(store: Store): ToldJobs {
  return {
    note: async (report) => {
      const key: NoteKey = { kind: 'told', ciSystem: report.ciSystem, key: report.jobKey };
      await putNote(store, { ...key, body: report, atEpochMs: report.atEpochMs, keepMs: toldMs[report.state] });
      return CommitReport.parse(noteOf(store, key));
    },
    listPending: async (ciSystem) => {
      const reports = notesOf(store, 'told', ciSystem).map((body) => CommitReport.parse(body));
      const pending = reports.filter(({ state }) => state === 'pending');
      return new Map(pending.map((report) => [report.jobKey, report]));
    },
  };
}

/** Keeps lost jobs in the store. */
export function sqliteLostJobs(store: Store): LostJobs {
  const { sql } = store;
  const records = sqliteRecords<LostJobRecord>(store, {
    read: (item) => ({ record: LostJobRecord.parse(item) }),
    select: (key) => sql.get`SELECT revision, item FROM lost_job WHERE lost_key = ${key}`,
    put: (key, { lost, expiresAtEpochSeconds }, revision, item) => {
      sql.run`
        INSERT OR REPLACE INTO lost_job VALUES
          (${key}, ${lost.ciSystem}, ${revision}, ${expiresAtEpochSeconds}, ${item})`;
    },
  });
  return lostJobsIn(records, async (ciSystem) =>
    store.read(() =>
      sql.all`SELECT item FROM lost_job WHERE ci_system = ${ciSystem} ORDER BY lost_key`.map((row) =>
        LostJobRecord.parse(itemOf(row)),
      ),
    ),
  );
}

/** Everything that reconciling remembers between two rounds, in one store. */
export function sqliteRoundMemory(store: Store) {
  return {
    spending: sqliteRateSpending(store),
    cursors: sqliteRoundCursors(store),
    failingDeliveries: sqliteFailingDeliveries(store),
    lost: sqliteLostJobs(store),
    told: sqliteToldJobs(store),
  };
}
