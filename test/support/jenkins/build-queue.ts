import { starter } from './builds.ts';
import type { LabelExpression } from './label-expression.ts';
import type { JenkinsBuild, JobRequest, QueueItem } from './records.ts';

/** What a new item is for. */
export interface NewItem {
  request: JobRequest;
  label: LabelExpression | undefined;
  /** A pipeline's build, of which the item is a part. */
  partOf?: JenkinsBuild;
}

/** The items of the queue, also those that have left it. */
export class BuildQueue {
  readonly items: QueueItem[] = [];
  #lastId = 0;

  /** The items that have not left, oldest first. */
  get waiting(): QueueItem[] {
    return this.items.filter((item) => item.state !== 'left');
  }

  /** Draws an id: builds of pipelines have items of their own. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Adds an item, which waits. */
  add({ request, label, partOf }: NewItem): QueueItem {
    const now = Date.now();
    const item: QueueItem = {
      id: this.nextId(),
      job: request.name,
      request,
      causedBy: starter,
      inQueueSinceEpochMs: now,
      quietUntilEpochMs: now + (request.quietPeriodMs ?? 0),
      state: 'waiting',
      ...(label === undefined ? {} : { label }),
      ...(partOf === undefined ? {} : { partOf }),
    };
    this.items.push(item);
    return item;
  }

  /** Moves each item on: waiting, then blocked while its job's build runs, then buildable. */
  advance(isRunning: (job: string) => boolean): void {
    for (const item of this.waiting) {
      if (item.quietUntilEpochMs > Date.now()) continue;
      const isBlocked = item.partOf === undefined && !item.request.concurrent && isRunning(item.job);
      item.buildableSinceEpochMs ??= Date.now();
      item.state = isBlocked ? 'blocked' : 'buildable';
    }
  }
}
