import type { LocalMeasure, Measure } from './bench.ts';
import { atOnce } from './measures/at-once.ts';
import { connect } from './measures/connect.ts';
import { counts } from './measures/counts.ts';
import { growth } from './measures/growth.ts';
import { oneAtATime } from './measures/one-at-a-time.ts';
import { start } from './measures/start.ts';
import { sustained } from './measures/sustained.ts';
import { sweep } from './measures/sweep.ts';
import { waiting } from './measures/waiting.ts';

/** All measures, in the order in which they are taken. */
export const measures: readonly (Measure | LocalMeasure)[] = [
  start,
  oneAtATime,
  counts,
  atOnce,
  sustained,
  waiting,
  connect,
  growth,
  sweep,
];
