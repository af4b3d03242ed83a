import type { TraceLine, Written } from '../../core/trace/written.ts';

/** A line of a trace, and its number in the file, counted from 1. */
export type NumberedLine = TraceLine & { line: number };

/** One write of one record of a kind. */
export type Step<Kind extends Written['kind']> = Omit<NumberedLine, 'written'> & {
  written: Extract<Written, { kind: Kind }>;
};

/** The writes of one record, in the order in which they were made. */
export interface RecordHistory<Kind extends Written['kind']> {
  key: string;
  steps: readonly Step<Kind>[];
}
