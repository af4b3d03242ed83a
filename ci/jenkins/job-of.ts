import { present } from '../../core/present.ts';
import type { CiJob } from '../../ports/ci-system.ts';
import type { JenkinsNode, QueueItem } from './answers.ts';
import { jobIdOf } from './job-id.ts';
import { projectOf } from './project.ts';
import { readWhy } from './read-why.ts';

/**
 * Reads a queued job from an item of the queue.
 *
 * @param url Jenkins' URL: a pipeline's item names its build relative to it
 * @returns undefined for an item that asks for no label, or whose label Jenkins does not tell now
 */
export function jobOf(item: QueueItem, nodes: readonly JenkinsNode[], url: string): CiJob | undefined {
  const { task, inQueueSince, buildableStartMilliseconds } = item;
  const expression = task.labelExpression ?? labelOf(item, nodes);
  const address = new URL(task.url ?? '', `${url}/`).href;
  const project = projectOf(address);
  if (expression === undefined || expression === '' || project === undefined) return undefined;
  const { fullName, repository, repositoryId, build } = project;
  return {
    id: jobIdOf(item),
    attempt: 1,
    repository,
    repositoryId,
    name: build === undefined ? fullName : `${fullName} #${build}`,
    labels: [expression],
    status: 'queued',
    url: address,
    queuedAtEpochMs: buildableStartMilliseconds || inQueueSince,
    ...present({ runId: build }),
  };
}

function labelOf({ why }: QueueItem, nodes: readonly JenkinsNode[]): string | undefined {
  const named = readWhy(why ?? '', (name) => nodes.some(({ displayName }) => displayName === name));
  if (named === undefined || 'label' in named) return named?.label;
  // The expression is met by this node alone. An agent with all of its labels meets it, too.
  const node = nodes.find(({ displayName }) => displayName === named.node);
  const labels = node?.assignedLabels.map(({ name }) => name).filter((label) => label !== named.node) ?? [];
  return labels.map(asAtom).join('&&');
}

/** Writes a label as an expression: in quotes where it has characters of an operator. */
function asAtom(label: string): string {
  return /^(?:-(?!>)|[^-&|!<>()\s"'])+$/.test(label) ? label : JSON.stringify(label);
}

/** Says whether a pipeline waits for a label that Jenkins does not tell, because it has no node besides the built-in one. */
export function needsSignpost(items: readonly QueueItem[], nodes: readonly JenkinsNode[]): boolean {
  if (nodes.length > 1) return false;
  return items.some(
    ({ buildable, task, why }) =>
      buildable && task.labelExpression === undefined && readWhy(why ?? '', () => false) === undefined,
  );
}
