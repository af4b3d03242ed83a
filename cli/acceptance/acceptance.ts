import type { Launch } from '../view/timeline.ts';
import type { AcceptanceCi } from './acceptance-ci.ts';
import type { WebhookNews } from './webhook-news.ts';
import type { WebhookSwitch } from './webhook-switch.ts';

/** What an acceptance works with. */
export interface Acceptance {
  ci: AcceptanceCi;
  /** What its jobs ask for: the labels of one profile. */
  labels: readonly string[];
  /** How many jobs a burst has. */
  burst: number;
  /** The launches for its jobs since the acceptance began, newest first. */
  launches: () => Promise<Launch[]>;
  /** The names of davit's runners that the CI system has for its jobs. */
  runnerNames: () => Promise<string[]>;
  /** Turns the repository's webhook off; undefined for a CI system that sends none. */
  webhook: WebhookSwitch | undefined;
  /** What davit says of the CI system's webhooks. */
  webhookNews: () => Promise<WebhookNews>;
  /** Deletes a Pod; undefined when the caller names no cluster. @returns whether there was one */
  deletePod: ((name: string) => Promise<boolean>) | undefined;
  /** The end of all waits, on the clock of `performance.now()`. */
  untilMs: number;
  /** How long davit may take at least to remove what is left, in milliseconds: an idle agent has its idle time. */
  removalMs: number;
  /** How long davit may take to learn of the end of a job, in milliseconds. */
  learnMs: number;
  /** Ends it when the person presses Ctrl-C. */
  signal: AbortSignal;
  say: (text: string) => void;
  /** Receives what could not be removed, and why. */
  onLeft: (words: string) => void;
}
