import type { RepositoryName } from '../../core/ci/ci-scope.ts';
import { present } from '../../core/present.ts';
import type { CiJobState, KnownOfJob } from '../../ports/ci-system.ts';
import { type Job, standingOf } from './answers.ts';
import type { ForgejoApi } from './forgejo-api.ts';

/**
 * Reads one attempt of a job, in any state. Forgejo 15 has no call for that, and 16 has one by the run. So davit asks, one
 * after the other, and the first answer counts:
 *
 * | asked | says |
 * |---|---|
 * | the repository's own list | that the job waits or runs |
 * | the jobs of its run (Forgejo 16) | its status; a job that is not there with this handle has a later attempt |
 * | its run (Forgejo 15, if the list names it) | that it is over, if the whole run is |
 * | the runner that davit registered for it | that it is over, if Forgejo has forgotten the runner |
 *
 * A runner that is still there proves nothing while its agent has the job: the job runs on, although two lists lack it. One
 * whose agent never had the job is idle, and waits for a job that is over.
 *
 * @param handle Forgejo's id of the attempt
 * @throws as `callCi`; TerminalError CiRefused when Forgejo does not show the repository
 */
export async function readJob(
  api: ForgejoApi,
  repository: RepositoryName,
  handle: string,
  known: KnownOfJob,
): Promise<CiJobState> {
  const { runId, attempt = 1 } = known;
  const over = { attempt, status: 'completed' } as const;
  const isAsked = (job: Job) => job.handle === handle;

  const listed = (await api.jobsOf(repository)).find(isAsked);
  if (listed !== undefined) return stateOf(listed, known);
  if (runId !== undefined) {
    const ofRun = await api.jobsOfRun(repository, runId);
    if (ofRun !== undefined) {
      const found = ofRun.find(isAsked);
      return found === undefined ? over : stateOf(found, known);
    }
    const run = await api.runStatus(repository, runId);
    if (run !== undefined && standingOf(run).status === 'completed') return over;
  }
  const own = known.own ?? known.runner;
  const runner = own && (await api.runner(own.id));
  if (runner === undefined) return over;
  const mayRun = runner.status === 'active' || known.runner !== undefined;
  return mayRun ? { attempt, status: 'in_progress', runner: { id: runner.id, name: runner.name } } : over;
}

/** Forgejo does not say which runner has a job. */
function stateOf({ attempt, status }: Job, { runner }: KnownOfJob): CiJobState {
  const standing = standingOf(status);
  const isTaken = standing.status === 'in_progress' || standing.status === 'completed';
  return { attempt, ...standing, ...(isTaken ? present({ runner }) : {}) };
}
