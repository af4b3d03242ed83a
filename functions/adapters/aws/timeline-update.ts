import type { Timeline } from '../../domain/timeline.ts';

/** The parts that an update needs to write a timeline, too. */
export interface TimelineUpdate {
  /** Goes to the end of a `SET` clause. */
  set: string;
  names: Record<string, string>;
  values: { ':timeline'?: Timeline };
}

/** Adds a timeline to an update, if there is one. Without one, the record keeps what it has. */
export function timelineUpdate(timeline: Timeline | undefined): TimelineUpdate {
  if (timeline === undefined) return { set: '', names: {}, values: {} };
  return {
    set: ', #timeline = :timeline',
    names: { '#timeline': 'timeline' },
    values: { ':timeline': timeline },
  };
}
