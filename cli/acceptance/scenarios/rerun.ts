import type { Scenario } from '../scenario.ts';
import { areOver } from './are-over.ts';

export const rerun: Scenario = {
  name: 'rerun',
  does: 'a job that is run again',
  run: async (run) => {
    await run.start({ jobs: 1, seconds: 1 });
    const [first] = await run.until('the job is over', (attempts) => areOver(attempts, 1));
    if (first?.status === 'completed') {
      await run.rerun(first.runId);
      await run.until('its second attempt is over', (attempts) => areOver(attempts, 2));
    }
    return { ran: 2 };
  },
};
