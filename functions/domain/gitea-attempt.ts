/**
 * Reads the attempt of a job in Gitea, so that all that is said of one attempt has the same number, from 1.
 *
 * Up to Gitea 1.26, claiming a job raises its attempt: it is one less before a runner has the job, and in the end of a job
 * that never had one. From 1.27 on, a re-run is a new job, and claiming raises nothing: a job that waits has the attempt
 * itself. What Gitea sends does not say which version sent it.
 *
 * @param runAttempt Gitea's own number
 * @param runnerId of the runner that has or had the job; absent or 0 for none
 */
export function giteaAttempt(runAttempt: number, runnerId: number | null | undefined): number {
  return runnerId ? runAttempt : runAttempt + 1;
}
