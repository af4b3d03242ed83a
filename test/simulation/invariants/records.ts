import { credentialMark } from '../world/credentials.ts';
import { secretOfJobs } from '../world/outside.ts';
import { deadlines } from '../world/world.ts';
import { type Invariant, isUntroubled } from './evidence.ts';

const order = ['launching', 'connected', 'cleaning', 'failed', 'terminated'];

/** A record is set, and never toggled (Tails' enable_node). */
export const onlyForward: Invariant = {
  name: 'records: a launch’s status only ever moves forward',
  *check(evidence) {
    for (const { launchId, from, to } of evidence.of('recorded')) {
      const isOver = from === 'failed' || from === 'terminated';
      if (from !== undefined && (isOver || order.indexOf(to) <= order.indexOf(from))) {
        yield `${launchId} went from ${from} to ${to}`;
      }
    }
  },
};

/** DESIGN.md's sixth. */
export const nothingLost: Invariant = {
  name: '6: an accepted webhook is never lost',
  *check(evidence) {
    for (const { launchId, door, statusCode } of evidence.of('asked')) {
      if (statusCode >= 300) continue;
      const status = evidence.launches.get(launchId)?.record?.status;
      if (status === undefined) yield `${door} of ${launchId} was accepted, and there is no record of it`;
      if (status === 'launching') yield `${launchId} was accepted, and is neither connected nor over`;
      if (door !== 'queued' && status === 'connected') yield `${door} of ${launchId} was accepted, and it is not over`;
    }
  },
};

/** What cannot be blamed on anything comes to its good end. */
export const untroubledConnect: Invariant = {
  name: 'progress: a launch that met nothing harmful connects',
  *check({ launches }) {
    for (const life of launches.values()) {
      const wasLaunched = life.record?.plan !== undefined;
      if (wasLaunched && isUntroubled(life) && life.record?.connectedAtEpochMs === undefined) {
        yield `${life.launchId} did not connect: ${life.ending?.message ?? life.record?.status}`;
      }
    }
  },
};

const generations = 3;
const slackSeconds = 1800;
const longestSeconds = Object.values(deadlines).reduce((sum, seconds) => sum + seconds, 0) * generations + slackSeconds;

/** All deadlines of all generations, and half an hour for what its functions were kept from. */
export const endsInTime: Invariant = {
  name: 'progress: a launch connects or ends within its deadlines',
  *check(evidence) {
    const startedAt = new Map<string, number>();
    for (const event of evidence.run.history) {
      if (event.kind === 'executionStarted') startedAt.set(event.launchId, event.atEpochMs);
      if (event.kind !== 'recorded' || event.from !== 'launching') continue;
      const tookSeconds = (event.atEpochMs - (startedAt.get(event.launchId) ?? event.atEpochMs)) / 1000;
      if (tookSeconds > longestSeconds) yield `${event.launchId} was launching for ${Math.round(tookSeconds)} s`;
    }
  },
};

/** DESIGN.md's eighth, for what an execution's history, its error, and a launch's record show to people. */
export const secretsKept: Invariant = {
  name: '8: no secret leaves the places that are meant to hold it',
  *check(evidence) {
    for (const event of evidence.run.history) {
      const shown =
        event.kind === 'executionEnded'
          ? [event.data, event.error, event.cause]
          : event.kind === 'recorded'
            ? [event.ending?.message ?? '']
            : [];
      if (shown.some((text) => text.includes(credentialMark) || text.includes(secretOfJobs))) {
        yield `a secret is in what ${event.kind} shows`;
      }
    }
  },
};

/** Whatever the world does, davit answers it with errors of its own. */
export const noDefects: Invariant = {
  name: 'defects: no function throws what is not an error of davit’s',
  *check(evidence) {
    for (const { functionName, error } of evidence.of('defect')) yield `${functionName}: ${error}`;
  },
};
