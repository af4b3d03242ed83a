import type { LocalMeasure, Measure } from './bench.ts';
import { atOnce } from './measures/at-once.ts';
import { burst } from './measures/burst.ts';
import { clusters } from './measures/clusters.ts';
import { connect } from './measures/connect.ts';
import { consoleFrames } from './measures/console.ts';
import { counts } from './measures/counts.ts';
import { flaps } from './measures/flaps.ts';
import { growth } from './measures/growth.ts';
import { oneAtATime } from './measures/one-at-a-time.ts';
import { queue } from './measures/queue.ts';
import { start } from './measures/start.ts';
import { sustained } from './measures/sustained.ts';
import { sweep } from './measures/sweep.ts';
import { waiting } from './measures/waiting.ts';

/** All measures, in the order in which they run. */
export const measures: readonly (Measure | LocalMeasure)[] = [
  start,
  consoleFrames,
  oneAtATime,
  counts,
  atOnce,
  sustained,
  waiting,
  connect,
  queue,
  burst,
  clusters,
  flaps,
  growth,
  sweep,
];
