import type { NumberedEvent } from '../../verify/jobs/job-event.ts';
import type { Acceptance } from './acceptance.ts';
import type { SeenAttempt } from './acceptance-ci.ts';
import type { NotRun } from './not-run.ts';

/** Whether davit did what a scenario expects. `not-run`: the scenario was not possible. */
export type Verdict = 'held' | 'not-held' | 'not-run';

/** What must come out of a scenario, beside that each job ran once or was cancelled. */
export interface Expected {
  /** The attempts that ran. @default any number */
  ran?: number;
  /** The attempts that were cancelled. @default any number */
  cancelled?: number;
  /** What else does not hold; without names of the caller's. @default nothing */
  problems?: readonly string[];
}

/** Jobs that a scenario starts. */
export interface StartedJobs {
  jobs: number;
  /** How long each takes, at least. */
  seconds: number;
  /** Names them, where a scenario starts several times. @default the scenario's name alone */
  part?: string;
}

/** The jobs of one scenario, and what it has of the acceptance. */
export interface ScenarioRun
  extends Pick<Acceptance, 'burst' | 'launches' | 'deletePod' | 'webhook' | 'webhookNews' | 'say'> {
  start(jobs: StartedJobs): Promise<void>;
  /**
   * Reads the jobs until they are as wanted.
   *
   * @param withinMs the time for it @default the rest of the acceptance's
   * @returns the last reading, also when the time is over: the judge then says what is wrong
   */
  until(
    what: string,
    isSo: (attempts: readonly SeenAttempt[]) => boolean,
    withinMs?: number,
  ): Promise<readonly SeenAttempt[]>;
  cancel(): Promise<void>;
  /** Runs the jobs of a run again. */
  rerun(runId: number): Promise<void>;
  /**
   * Repeats a question until its answer is yes.
   *
   * @param pauseMs between two questions @default the CI system's
   * @returns false when the time is over
   */
  poll(isSo: () => Promise<boolean>, pauseMs?: number): Promise<boolean>;
  /** How long the acceptance may still take, in milliseconds. */
  leftMs(): number;
  /** Waits. @param ms in milliseconds @throws the signal's reason when it is aborted */
  pause(ms: number): Promise<void>;
  /** Waits until no agent of an earlier scenario is left, which would take the next job at once. */
  settle(): Promise<void>;
}

/** One thing that an acceptance tries. */
export interface Scenario {
  /** Stable, in kebab case. */
  name: string;
  /** What happens in it, for people. */
  does: string;
  run: (run: ScenarioRun) => Promise<Expected | NotRun>;
}

/** What came out of a scenario. */
export interface ScenarioResult {
  name: string;
  does: string;
  verdict: Verdict;
  /** What did not hold: no names of the caller's in it. For `not-run`: what the scenario needs. */
  why: string[];
  /** Each finding with its job or runner, for the caller only. */
  details: string[];
  /** Attempts of jobs. */
  jobs: number;
  ran: number;
  cancelled: number;
  /** From queued to running, for each attempt of which the CI system shows both moments, in milliseconds. */
  waitsMs: number[];
  tookMs: number;
}

/** The counts of a result without jobs. */
export const noJobs = { details: [], jobs: 0, ran: 0, cancelled: 0, waitsMs: [] } satisfies Partial<ScenarioResult>;

/** What was seen in a scenario. */
export interface Evidence {
  attempts: readonly SeenAttempt[];
  /** The jobs by the CI system's word, and by its and davit's. */
  histories: { ci: readonly NumberedEvent[]; davit: readonly NumberedEvent[] };
}
