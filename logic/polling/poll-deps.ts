import type { CiSystem } from '../../ports/ci-system.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { PollCursors } from '../../ports/poll-cursors.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { RegisteredJobDeps } from '../jobs/handle-registered-job.ts';

/** The requests that a poll makes to a CI system. */
export type PolledCiSystem = Pick<
  CiSystem,
  'listJobs' | 'findRunners' | 'getJob' | 'runningJob' | 'limitToOneJob' | 'stopAssigning' | 'settleMs' | 'removeIfIdle'
>;

/** The dependencies of polling. */
export interface PollDeps extends RegisteredJobDeps {
  /** @throws TerminalError CiRefused for a name that is not in davit.yaml */
  ciSystemOf: (name: string) => PolledCiSystem;
  jobs: RegisteredJobDeps['jobs'] & Pick<Jobs, 'getMany' | 'listWaiting'>;
  launches: RegisteredJobDeps['launches'] & Pick<Launches, 'getMany'>;
  registrations: RegisteredJobDeps['registrations'] & Pick<Registrations, 'noteDeregistered'>;
  cursors: PollCursors;
  sleep: (ms: number) => Promise<void>;
}
