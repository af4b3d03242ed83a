import { isPolled } from '../../core/ci/ci-systems.ts';
import { isReconciled } from '../../core/ci/is-reconciled.ts';
import type { Config } from '../../core/config/config.ts';
import * as z from '../../core/zod.ts';
import { failedPauseMs, PollCiReport, pauseOf } from '../../functions/poll-ci/poll-ci.ts';
import { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import {
  type FunctionName,
  probeIntervalMinutes,
  reconcileIntervalMinutes,
  sweepIntervalMinutes,
} from '../../runtime/function-settings.ts';
import type { JsonValue } from '../json-value.ts';
import type { InvocationResult } from './invocation.ts';
import { runRound, startRounds } from './rounds.ts';
import { tellTrouble } from './tell-trouble.ts';

/** How often davit does what schedules do on AWS. */
export interface RegularWorkOptions {
  /** The pause between two sweeps. @default that of the schedule on AWS, a minute */
  sweepIntervalMs?: number;
  /** Receives each sweep's report, including the first. */
  onSwept?: (report: SweepReport) => void;
  /** The pause between two reconciles with the CI systems. @default that of the schedule on AWS, a minute */
  reconcileIntervalMs?: number;
  /** Receives the report of each reconcile. */
  onReconciled?: (report: ReconcileReport) => void;
  /** Receives a line when something of a CI system begins to fail, and one when it works again. */
  onTrouble?: (line: string) => void;
  /** The pause between the beginnings of two probes; `never` for tests that count a cluster's requests. @default a minute */
  probeIntervalMs?: number | 'never';
}

type Invoke = (functionName: FunctionName, event: JsonValue) => Promise<InvocationResult>;

/**
 * Starts the sweeps, one at a time. Where an earlier process has left launches unfinished, resolves after the first one, which
 * grants no grace: every process that worked on the launches is dead.
 */
export async function startSweeps(
  { sweepIntervalMs = sweepIntervalMinutes * 60_000, onSwept = () => {} }: RegularWorkOptions,
  invoke: Invoke,
  takesOver: boolean,
): Promise<Disposable> {
  const sweep = (event: JsonValue) => ({
    invoke: () => invoke('sweep', event),
    Report: SweepReport,
    onReport: onSwept,
    onFailed: saysFailed('a sweep'),
  });
  if (takesOver) await runRound(sweep({ graceSeconds: 0 }));
  return startRounds({ ...sweep({}), pauseMs: () => sweepIntervalMs }, takesOver ? sweepIntervalMs : 0);
}

/** Starts the probes of clusters, and the reconciles and polls that the CI systems need. */
export function startOtherWork(options: RegularWorkOptions, config: Config, invoke: Invoke): Disposable {
  const { probeIntervalMs = probeIntervalMinutes * 60_000 } = options;
  const { reconcileIntervalMs = reconcileIntervalMinutes * 60_000 } = options;
  const started = new DisposableStack();
  const tell = tellTrouble(options.onTrouble ?? (() => {}));
  if (probeIntervalMs !== 'never') {
    started.use(
      startRounds({
        invoke: () => invoke('probe', {}),
        Report: z.unknown(),
        pauseMs: () => probeIntervalMs,
        // A probe looks for a minute where a cluster is away, and takes longer when calls are slow.
        mayOverlap: true,
        onReport: () => {},
        onFailed: saysFailed('a probe'),
      }),
    );
  }
  // The first reconcile finds what happened while no davit ran, such as webhooks that nobody took.
  if (isReconciled(config)) {
    started.use(
      startRounds({
        invoke: () => invoke('reconcile', {}),
        Report: ReconcileReport,
        pauseMs: untilNext(reconcileIntervalMs),
        onReport: (report) => {
          tell('reconcile', report.errors);
          options.onReconciled?.(report);
        },
        onFailed: saysFailed('a reconcile'),
      }),
    );
  }
  for (const system of config.ciSystems.filter(isPolled)) {
    started.use(
      startRounds({
        invoke: () => invoke('poll-ci', { ciSystem: system.name }),
        Report: PollCiReport,
        pauseMs: pauseAfterPoll(pauseOf(system)),
        onReport: ({ errors }) =>
          tell(
            `poll of ${system.name}`,
            errors.map((subject) => ({ subject })),
          ),
        onFailed: saysFailed(`polling ${system.name}`),
      }),
    );
  }
  return started;
}

function saysFailed(what: string): (reason: string) => void {
  return (reason) => console.error(`${what} failed: ${reason}`);
}

/** As on a schedule: from the beginning of a round to that of the next, unless it takes longer. */
export function untilNext(intervalMs: number): (tookMs: number) => number {
  return (tookMs) => Math.max(0, intervalMs - tookMs);
}

type Polled = Pick<PollCiReport, 'failed'>;

/**
 * From the end of a poll to the next, which comes later after a failure. A job that cannot be handled delays no other one's
 * poll: anybody may have such a job.
 */
export function pauseAfterPoll(pauseMs: number): (tookMs: number, report: Polled | undefined) => number {
  return (_, report) => (report === undefined || report.failed > 0 ? Math.max(pauseMs, failedPauseMs) : pauseMs);
}
