import { isPolled } from '../../core/ci/ci-systems.ts';
import { isReconciled } from '../../core/ci/is-reconciled.ts';
import type { Config } from '../../core/config/config.ts';
import { pauseOf } from '../../functions/poll-ci/poll-ci.ts';
import type { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import type { SweepReport } from '../../functions/sweep/sweep-report.ts';
import {
  type FunctionName,
  probeIntervalMinutes,
  reconcileIntervalMinutes,
  sweepIntervalMinutes,
} from '../../runtime/function-settings.ts';
import type { JsonValue } from '../json-value.ts';
import type { InvocationResult } from './invocation.ts';
import { pollRegularly } from './poll-regularly.ts';
import { probeRegularly } from './probe-regularly.ts';
import { reconcileRegularly } from './reconcile-regularly.ts';
import { sweepRegularly } from './sweep-regularly.ts';
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

/** Starts the sweeps. @param takesOver as of `sweepRegularly`, which then returns after the first one */
export function startSweeps(options: RegularWorkOptions, invoke: Invoke, takesOver: boolean): Promise<Disposable> {
  return sweepRegularly({
    takesOver,
    invoke: (event) => invoke('sweep', event),
    intervalMs: options.sweepIntervalMs ?? sweepIntervalMinutes * 60_000,
    onSwept: options.onSwept ?? (() => {}),
    onFailed: (reason) => console.error(`a sweep failed: ${reason}`),
  });
}

/** Starts the probes of clusters, and the reconciles and polls that the CI systems need. */
export function startOtherWork(options: RegularWorkOptions, config: Config, invoke: Invoke): Disposable {
  const { probeIntervalMs = probeIntervalMinutes * 60_000 } = options;
  const started = new DisposableStack();
  const tell = tellTrouble(options.onTrouble ?? (() => {}));
  if (probeIntervalMs !== 'never') {
    started.use(
      probeRegularly({
        invoke: (event) => invoke('probe', event),
        intervalMs: probeIntervalMs,
        onFailed: (reason) => console.error(`a probe failed: ${reason}`),
      }),
    );
  }
  if (isReconciled(config)) {
    started.use(
      reconcileRegularly({
        invoke: (event) => invoke('reconcile', event),
        intervalMs: options.reconcileIntervalMs ?? reconcileIntervalMinutes * 60_000,
        onReconciled: (report) => {
          tell('reconcile', report.errors);
          options.onReconciled?.(report);
        },
        onFailed: (reason) => console.error(`a reconcile failed: ${reason}`),
      }),
    );
  }
  for (const system of config.ciSystems.filter(isPolled)) {
    started.use(
      pollRegularly({
        invoke: () => invoke('poll-ci', { ciSystem: system.name }),
        pauseMs: pauseOf(system),
        onPolled: ({ errors }) => {
          tell(
            `poll of ${system.name}`,
            errors.map((subject) => ({ subject })),
          );
        },
        onFailed: (reason) => console.error(`polling ${system.name} failed: ${reason}`),
      }),
    );
  }
  return started;
}
