import type { ReadJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import { idOf } from '../id-of-name.ts';
import { type JenkinsNode, type QueueItem, runningOn } from './answers.ts';
import { jobIdOf } from './job-id.ts';
import { plainLabel } from './label-expression.ts';
import { projectOf } from './project.ts';
import { readWhy } from './read-why.ts';

/**
 * Reads a queued job from an item of the queue.
 *
 * @param url Jenkins' URL: a pipeline's item names its build relative to it
 * @returns undefined for an item that asks for no label, or whose label Jenkins does not name now
 */
export function jobOf(item: QueueItem, nodes: readonly JenkinsNode[], url: string): ReadJob | undefined {
  const { task, inQueueSince, buildableStartMilliseconds } = item;
  const expression = task.labelExpression ?? labelOf(item, nodes);
  const described = describeAt(task.url ?? '', url);
  if (expression === undefined || expression === '' || described === undefined) return undefined;
  return {
    ...described,
    jobId: jobIdOf(item),
    labels: [expression],
    status: 'queued',
    queuedAtEpochMs: buildableStartMilliseconds || inQueueSince,
  };
}

/** Describes a job by the URL of a project or a build, which may be relative to Jenkins' own. */
function describeAt(jobUrl: string, url: string): Omit<ReadJob, 'jobId' | 'labels' | 'status'> | undefined {
  const address = URL.parse(jobUrl, `${url}/`)?.href;
  const project = address === undefined ? undefined : projectOf(address);
  if (address === undefined || project === undefined) return undefined;
  const { fullName, repository, repositoryId, build } = project;
  return {
    attempt: 1,
    repository,
    repositoryId,
    name: build === undefined ? fullName : `${fullName} #${build}`,
    url: address,
    ...present({ runId: build }),
  };
}

function labelOf({ why }: QueueItem, nodes: readonly JenkinsNode[]): string | undefined {
  const named = readWhy(why ?? '', (name) => nodes.some(({ displayName }) => displayName === name));
  if (named === undefined || 'label' in named) return named?.label;
  // The expression is met by this node alone. An agent with all of its labels meets it, too.
  const node = nodes.find(({ displayName }) => displayName === named.node);
  return node && allLabelsOf(node);
}

function allLabelsOf({ displayName, assignedLabels }: JenkinsNode): string {
  const labels = assignedLabels.map(({ name }) => name).filter((label) => label !== displayName);
  return labels.map(asAtom).join('&&');
}

/**
 * Reads the job that a node runs, if davit has not seen its item in the queue. A node's name is used for one job, so the
 * name's number is the job's id.
 */
export function runningJobOf(node: JenkinsNode, url: string): ReadJob | undefined {
  const [running] = runningOn(node);
  const described = running && describeAt(running.url, url);
  return (
    described && { ...described, jobId: idOf(node.displayName), labels: [allLabelsOf(node)], status: 'in_progress' }
  );
}

/** Writes a label as an expression: in quotes where it has characters of an operator. */
function asAtom(label: string): string {
  return plainLabel.test(label) ? label : JSON.stringify(label);
}

/** Says whether a pipeline waits for a label that Jenkins does not name, because it has only the built-in node. */
export function needsSignpost(items: readonly QueueItem[], nodes: readonly JenkinsNode[]): boolean {
  if (nodes.length > 1) return false;
  return items.some(
    ({ buildable, task, why }) =>
      buildable && task.labelExpression === undefined && readWhy(why ?? '', () => false) === undefined,
  );
}
