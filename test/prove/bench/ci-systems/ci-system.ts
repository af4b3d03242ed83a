import type { RunnerProvider } from '../../../../core/ci/ci-system-config.ts';
import type { HookTarget } from '../../../support/gitlab/start-fake-gitlab.ts';

/** A job that was queued. It runs `true`. */
export interface QueuedJob {
  queuedAtEpochMs: number;
  /** When the CI system showed it as running; undefined while it waits. */
  startedAtEpochMs: () => number | undefined;
  /** Whether it has ended, and its agent cannot take the next one, unless that agent is for many. */
  isOver: () => boolean;
}

/** A fake CI system. */
export interface CiSystem {
  /** The keys of its entry in `davit.yaml`, without its secrets. The others have their defaults. */
  entry: Readonly<Record<string, string | number>>;
  token: string;
  /**
   * Queues a job.
   *
   * @param hook where davit is told of it at once. @default davit is not told
   */
  queue(hook?: HookTarget): QueuedJob;
  /** Waits until an agent that davit has not launched is connected and idle. Starts it, if there is none. */
  untilAgentIdle(): Promise<void>;
}

/** What the agents of a CI system need, by whomever they are started. */
export interface AgentProgram {
  /** Leads to their program. */
  environment: Readonly<Record<string, string>>;
  /** Of davit's agents. @default their preset's */
  command?: readonly string[];
}

/** What a fake CI system, and its agent that davit has not launched, are started with. */
export interface Surroundings {
  /** For the agent's files. */
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** Receives what is started. */
  resources: AsyncDisposableStack;
}

/** How davit learns of a job: by its next regular poll, or because the CI system tells it. */
export type News = 'polled' | 'told';

/** A kind of CI systems. */
export interface CiSystemKind {
  /** For people. */
  name: string;
  provider: RunnerProvider;
  /** The ways that are measured, the usual one first. */
  news: readonly [News, ...News[]];
  /** Of davit's agents. */
  labels: readonly string[];
  agents: AgentProgram;
  start: (surroundings: Surroundings) => Promise<CiSystem>;
}
