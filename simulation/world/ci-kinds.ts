import type { RunnerProvider } from '../../core/ci/ci-system-config.ts';

/** A kind of CI system's rules for jobs and runners. */
export interface CiKind {
  /** Whether it refuses a name that is in use. */
  namesAreUnique: boolean;
  /** How long a job may still appear on a runner after davit has asked for none, in milliseconds. */
  settleMs: number;
  /** How long it may take at most between its look at a runner and the hand-out of a job, in milliseconds. */
  slowestHandOutMs: number;
  /** Whether it looks at the runner once more in the very step that hands out the job. */
  looksAgain: boolean;
  /** Whether it refuses to delete a runner that runs a job. */
  keepsBusyRunners: boolean;
  /** Whether davit can keep it from handing jobs to a runner. */
  stopsRunners: boolean;
  keepsFailedDeliveries: boolean;
  /** What its webhooks say: all of a job, no more than which one, or there are none. */
  tells: 'jobs' | 'ids' | 'nothing';
  /** What a runner does after a job, if the system then does not forget it. */
  afterJob: 'forgotten' | 'exits' | 'asks for another';
  /** Whether a job that runs again is another job with an id of its own. */
  renewsIds: boolean;
  /** Whether a job asks for its labels by one expression. */
  asksByExpression: boolean;
  /** Whether davit chooses the job of a runner. */
  isPinned: boolean;
  /** How long it keeps a job for davit's agent, in milliseconds; absent where any runner may take the job. */
  leaseMs?: number;
}

/** What the systems have in common that give a job to whichever runner asks. */
const assigning = {
  settleMs: 0,
  slowestHandOutMs: 10_000,
  looksAgain: false,
  keepsBusyRunners: false,
  stopsRunners: true,
  keepsFailedDeliveries: false,
  asksByExpression: false,
  isPinned: false,
} as const;

const polled = { tells: 'nothing', renewsIds: true } as const;

/** The kinds of CI systems. */
export const ciKinds: Readonly<Record<RunnerProvider, CiKind>> = {
  github: {
    ...assigning,
    namesAreUnique: true,
    looksAgain: true,
    keepsBusyRunners: true,
    stopsRunners: false,
    keepsFailedDeliveries: true,
    tells: 'jobs',
    afterJob: 'forgotten',
    renewsIds: false,
  },
  gitea: {
    ...assigning,
    namesAreUnique: false,
    settleMs: 15_000,
    tells: 'jobs',
    afterJob: 'forgotten',
    renewsIds: false,
  },
  /** It keeps nodes, and looks at a node and gives it work under one lock. */
  jenkins: {
    ...assigning,
    ...polled,
    namesAreUnique: true,
    looksAgain: true,
    afterJob: 'asks for another',
    asksByExpression: true,
  },
  gitlab: {
    ...assigning,
    ...polled,
    namesAreUnique: false,
    settleMs: 60_000,
    slowestHandOutMs: 55_000,
    tells: 'ids',
    afterJob: 'exits',
  },
  forgejo: {
    ...assigning,
    ...polled,
    namesAreUnique: false,
    settleMs: 15_000,
    stopsRunners: false,
    afterJob: 'forgotten',
    isPinned: true,
  },
  buildkite: {
    ...assigning,
    ...polled,
    namesAreUnique: false,
    looksAgain: true,
    stopsRunners: false,
    afterJob: 'forgotten',
    isPinned: true,
    leaseMs: 300_000,
  },
};
