import type { Scenario } from '../scenario.ts';
import { areOver } from './are-over.ts';

/** An agent may connect a second after its Pod was made. */
const pauseMs = 50;

export const podDeleted: Scenario = {
  name: 'pod-deleted',
  does: 'a job whose Pod is deleted before its agent connects',
  run: async (run) => {
    const { deletePod } = run;
    if (deletePod === undefined) return { needs: '--kubeconfig and --namespace' };
    await run.settle();
    const before = new Set((await run.launches()).map(({ launchId }) => launchId));
    await run.start({ jobs: 1, seconds: 1 });
    let deleted: string | undefined;
    await run.poll(async () => {
      const launch = (await run.launches()).find(({ launchId }) => !before.has(launchId));
      if (launch === undefined) return false;
      if (launch.status === 'launching' && (await deletePod(launch.agentName))) deleted = launch.launchId;
      return launch.status !== 'launching' || deleted !== undefined;
    }, pauseMs);
    await run.until('the job is over', (attempts) => areOver(attempts, 1));
    const launch = (await run.launches()).find(({ launchId }) => launchId === deleted);
    if ((launch?.generations ?? []).length > 0) return { ran: 1 };
    return { needs: 'an agent that takes longer to connect: here it was connected before its Pod could be deleted' };
  },
};
