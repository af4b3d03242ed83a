import type { AskedLabels } from './asked-labels.ts';
import type { RequestPoints } from './request-pace.ts';

/** How a kind of CI system differs from the others, as far as davit's decisions depend on it. */
export interface CiTraits {
  /** Whether labels that differ only in case are different. */
  labelsHaveCase: boolean;
  /** Reads a job's labels, comparing them with case. */
  askedLabels: (labels: readonly string[]) => AskedLabels;
  /** Whether a job may ask for an agent that lacks a label. @default no */
  asksForAbsentLabels?: true;
  /** What a profile's label must look like. @default any text */
  labelPattern?: RegExp;
  /** The longest text with which a job asks for labels, in characters. @default the longest label */
  longestAskedLabel?: number;
  /** Whether davit asks the system for its queued jobs every few seconds, because it sends no webhooks of them. */
  isPolled: boolean;
  /**
   * Whether davit chooses the job of each agent, and holds the job for it: then a launch is for that job alone. @default the
   * system gives a job to any runner whose labels match
   */
  isPinned?: true;
  /** Whether its webhooks may be signed as Standard Webhooks specifies. @default no */
  hasStandardSignatures?: true;
  /** What it allows in a minute. @default it has no such limit */
  requestPoints?: RequestPoints;
  /** Whether davit can set the status of a job's commit there. */
  hasCommitStatuses: boolean;
  /** Keys of a profile that do nothing for this system's runners, and why. @default none */
  profileKeysWithoutUse?: Readonly<Record<string, string>>;
}
