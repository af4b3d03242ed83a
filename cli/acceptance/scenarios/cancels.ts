import type { Scenario } from '../scenario.ts';
import { areOver } from './are-over.ts';

/** Longer than the acceptance waits for the end of a job that it cancels. */
const longSeconds = 600;

export const cancelQueued: Scenario = {
  name: 'cancel-queued',
  does: 'a job that is cancelled in the queue',
  run: async (run) => {
    await run.settle();
    await run.start({ jobs: 1, seconds: longSeconds });
    await run.until('the job is queued', (attempts) => attempts.length > 0);
    await run.cancel();
    const [cancelled] = await run.until('the job is over', (attempts) => areOver(attempts, 1));
    if (cancelled?.startedAtEpochMs === undefined) return { cancelled: 1 };
    return { needs: 'a job that waits until it is cancelled: here an agent took it before' };
  },
};

export const cancelRunning: Scenario = {
  name: 'cancel-running',
  does: 'a job that is cancelled while it runs',
  run: async (run) => {
    await run.start({ jobs: 1, seconds: longSeconds });
    await run.until('the job runs', ([job]) => job?.status === 'in_progress' || job?.status === 'completed');
    await run.cancel();
    await run.until('the job is over', (attempts) => areOver(attempts, 1));
    return { cancelled: 1 };
  },
};
