import type { CiSystem } from '../../ports/ci-system.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { PollCursors } from '../../ports/poll-cursors.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { JobDeps } from '../jobs/job-deps.ts';

/** The requests that a poll makes to a CI system. */
type PolledCiSystem = Pick<
  CiSystem,
  | 'pinned'
  | 'jobQueue'
  | 'listJobs'
  | 'findRunners'
  | 'getJob'
  | 'findJob'
  | 'runningJob'
  | 'limitToOneJob'
  | 'stopAssigning'
  | 'stoppedAtEpochMs'
  | 'settleMs'
  | 'removeIfIdle'
> &
  Partial<Pick<CiSystem, 'getRunner' | 'jobsOfRun'>>;

/** The dependencies of polling. */
export interface PollDeps extends JobDeps {
  /** @throws TerminalError CiRefused for a name that is not in davit.yaml */
  ciSystemOf: (name: string) => PolledCiSystem;
  jobs: JobDeps['jobs'] & Pick<Jobs, 'listWaiting'>;
  launches: JobDeps['launches'] & Pick<Launches, 'getMany' | 'list'>;
  registrations: JobDeps['registrations'] & Pick<Registrations, 'noteDeregistered'>;
  invokeLater: InvokeLater<'clean-up' | 'publish-events' | 'retire-runner'>;
  cursors: PollCursors;
  sleep: (ms: number) => Promise<void>;
}

/** The dependencies of reading a queue of messages. */
export interface QueueDeps extends PollDeps {
  /** Names this process among those that may read the queue. */
  queueHolder: string;
  /** Ends the wait for a message. @default nothing does */
  stopping?: AbortSignal;
}
