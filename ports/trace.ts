import type { Written } from '../core/trace/written.ts';

/** Takes each write of a record, once it is made. A process that dies in between leaves a gap in the record's revisions. */
export type Trace = (written: Written) => void;

/** Keeps no trace. */
export const untraced: Trace = () => undefined;
