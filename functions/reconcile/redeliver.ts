import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { FailedDelivery } from '../../ports/ci-system.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

const dayMs = 24 * 3_600_000;
/** The first attempt, and three more. */
const mostAttemptsOfDelivery = 4;

/** Redelivers webhooks that never arrived: each at most three times, and none older than a day. */
export async function redeliver(
  deps: Pick<ReconcileDeps, 'ciSystemOf' | 'nowEpochMs'>,
  run: ReconcileRun,
  { name: ciSystem }: Pick<CiSystemConfig, 'name'>,
  failed: readonly FailedDelivery[],
): Promise<void> {
  const ci = deps.ciSystemOf(ciSystem);
  for (const { id, guid, event, attempts, attemptedAtEpochMs } of failed) {
    const isTooOld = deps.nowEpochMs() - attemptedAtEpochMs > dayMs;
    if (event !== 'workflow_job' || attempts >= mostAttemptsOfDelivery || isTooOld) continue;
    if (!run.mayBegin()) return;
    await run.attempt(`delivery ${guid}`, async () => {
      await ci.redeliver(id);
      const reason = `${attempts} attempts to deliver it failed`;
      run.repair({ ciSystem, repair: 'WebhookRedelivered', subject: guid, reason });
    });
  }
}
