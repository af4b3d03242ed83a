import type { CiRunner } from '../../core/ci/ci-scope.ts';
import { present } from '../../core/present.ts';
import type { CiJobState, KnownOfJob } from '../../ports/ci-system.ts';
import { idOf } from '../id-of-name.ts';
import { type Build, runningOn } from './answers.ts';
import type { JenkinsApi } from './jenkins-api.ts';
import { itemIdOf, jobIdOf } from './job-id.ts';
import { mayResume } from './may-resume.ts';
import { pathInJenkins } from './project.ts';

/** Which job to read, and what davit knows of it. */
export interface JobQuestion extends KnownOfJob {
  jobId: number;
  /** The job that each node runs, as this process last saw it: the parts of one pipeline look alike. Kept up to date. */
  jobOnNode: Map<string, JobOnNode>;
}

/** A job on a node, and the path of its build. */
export interface JobOnNode {
  jobId: number;
  path: string;
}

/**
 * Finds out what became of an item of the queue. Jenkins remembers an item for five minutes after it has left the queue,
 * and then only the node says whether its job is over.
 *
 * @returns undefined for an item that left the queue long ago, and ran on no known node
 */
export async function readJob(api: JenkinsApi, question: JobQuestion): Promise<CiJobState | undefined> {
  const { jobId, runner } = question;
  const id = itemIdOf(jobId);
  const item = await api.item(id);
  const isSame = item !== undefined && jobIdOf({ id, inQueueSince: item.inQueueSince }) === jobId;
  if (isSame && item.cancelled === undefined) return { attempt: 1, status: item.buildable ? 'queued' : 'waiting' };
  if (isSame && item.cancelled) return over('cancelled');
  const url = isSame ? item.executable?.url : undefined;
  if (runner !== undefined) return stateOn(api, runner, url);
  return url === undefined ? undefined : stateOf(api, question, url);
}

/** Reads the state of a job that has begun, and whose node davit does not know yet. */
async function stateOf(api: JenkinsApi, question: JobQuestion, url: string): Promise<CiJobState> {
  const build = await api.build(url);
  const name = build?.builtOn || (await nodeRunning(api, question, url))?.displayName;
  // No node runs the pipeline's part any more.
  if (name === undefined) return over(conclusionOf(build));
  const runner = { id: idOf(name), name };
  return build?.building ? { attempt: 1, status: 'in_progress', runner } : { ...over(conclusionOf(build)), runner };
}

/**
 * Finds a node that runs a part of this build. One on which another part is known to run is not it; one that runs another job
 * by davit's records may have ended that, and runs this one after it: it is the last choice.
 */
async function nodeRunning(api: JenkinsApi, { jobId, jobOnNode, ofOthers }: JobQuestion, url: string) {
  const nodes = await api.nodes();
  const busy = new Set(nodes.filter(({ idle }) => !idle).map(({ displayName }) => displayName));
  for (const name of jobOnNode.keys()) if (!busy.has(name)) jobOnNode.delete(name);
  const path = pathInJenkins(url);
  const running = nodes.filter((node) => {
    const known = jobOnNode.get(node.displayName);
    const isOther = known !== undefined && known.path === path && known.jobId !== jobId;
    return !isOther && runningOn(node).some((each) => pathInJenkins(each.url) === path);
  });
  const found = running.find(({ displayName }) => ofOthers?.has(idOf(displayName)) !== true) ?? running[0];
  if (found !== undefined) jobOnNode.set(found.displayName, { jobId, path });
  return found;
}

/** Reads the state of a job by its node: the job is over when the node is idle, and no step can go on there. */
async function stateOn(api: JenkinsApi, runner: CiRunner, url: string | undefined): Promise<CiJobState> {
  const items = await api.queue();
  const node = (await api.nodes()).find(({ displayName }) => displayName === runner.name);
  if (node !== undefined && (!node.idle || mayResume(api.session, node, items)))
    return { attempt: 1, status: 'in_progress', runner };
  return { ...over(url === undefined ? undefined : conclusionOf(await api.build(url))), runner };
}

function over(conclusion: string | undefined): CiJobState {
  return { attempt: 1, status: 'completed', ...present({ conclusion }) };
}

const conclusions: Readonly<Record<string, string>> = {
  SUCCESS: 'success',
  UNSTABLE: 'failure',
  FAILURE: 'failure',
  ABORTED: 'cancelled',
  NOT_BUILT: 'skipped',
};

/** A part of a pipeline that goes on elsewhere has no conclusion. */
export function conclusionOf(build: Pick<Build, 'building' | 'result'> | undefined): string | undefined {
  return build?.building === false ? conclusions[build.result ?? ''] : undefined;
}
