/**
 * Reads the attempt of a job in Gitea, so that all data about one attempt has the same number, from 1.
 *
 * Up to Gitea 1.26, a runner that claims a job raises its attempt. The number is one less before a runner has the job,
 * and at the end of a job that never had a runner. From 1.27 on, a re-run is a new job, and a claim raises nothing: a
 * waiting job already has its attempt's number. Gitea's data does not say which version sent it.
 *
 * @param runAttempt Gitea's own number
 * @param runnerId of the runner that has or had the job; absent or 0 for none
 */
export function giteaAttempt(runAttempt: number, runnerId: number | null | undefined): number {
  return runnerId ? runAttempt : runAttempt + 1;
}
