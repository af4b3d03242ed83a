import { askingShares, mostSentInRound, pointsOfWrite } from '../../core/ci/round-shares.ts';
import type { CiSystem, CiUsage } from '../../ports/ci-system.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundPace } from './round-pace.ts';

/** The part of a round's time that may be spent on asking: the rest is for the repairs. */
export const askingShare = 0.7;

/** How many failures in a row tell that a CI system does not answer at all. */
const mostFailures = 5;

/** How many requests that write a round may make, even if reading has used all of its points. */
const leastWrites = 10;

/** How many requests may count against a CI system's rate limit; Infinity without a known limit. */
interface RoundBudget {
  /** In this round. */
  most: number;
  /** In a minute, on average. */
  ofMinute: number;
}

/** How many requests and how much time one round may spend on asking one CI system. */
export class Allowance {
  readonly #run: ReconcileRun;
  readonly #ci: Pick<CiSystem, 'usage'>;
  readonly #budget: () => RoundBudget;
  readonly #before: CiUsage;
  readonly #pace: RoundPace;
  #answers = 0;
  #failures = 0;
  #failuresInARow = 0;

  /** @param budget as the answers so far tell it */
  constructor(run: ReconcileRun, ci: Pick<CiSystem, 'usage'>, budget: () => RoundBudget, pace: RoundPace) {
    this.#run = run;
    this.#ci = ci;
    this.#budget = budget;
    this.#pace = pace;
    this.#before = ci.usage();
  }

  /**
   * Says whether there is room to ask for something; if not, the round is not complete. May wait for a moment in which
   * registrations leave room.
   *
   * @param minutes how many minutes' part of the rate limit the round may have used when it asks. @default no such bound
   */
  async mayAsk(what: keyof typeof askingShares, minutes = Infinity): Promise<boolean> {
    if (!this.#hasRoom(what, minutes)) return false;
    const mayRead = await this.#pace.mayRead(() => this.#sent, askingShares[what] * askingShare);
    // Others may have asked, and time may have passed, meanwhile.
    return mayRead && this.#hasRoom(what, minutes);
  }

  #hasRoom(what: keyof typeof askingShares, minutes: number): boolean {
    const share = askingShares[what];
    const { most, ofMinute } = this.#budget();
    const counted = Math.min(share * most, minutes * ofMinute);
    if (this.#ci.usage().requests - this.#before.requests >= counted || this.#sent >= share * this.#mostSent)
      return false;
    return this.#failuresInARow < mostFailures && this.#run.mayBegin(share * askingShare);
  }

  /**
   * Asks the CI system for one thing. A failure is reported, and the others go on.
   *
   * @returns undefined when it did not answer
   */
  async ask<Answer>(subject: string, question: () => Promise<Answer>): Promise<{ answer: Answer } | undefined> {
    const asked = await this.#run.attempt(subject, async () => ({ answer: await question() }));
    if (asked === undefined) this.#failures += 1;
    else this.#answers += 1;
    this.#failuresInARow = asked === undefined ? this.#failuresInARow + 1 : 0;
    return asked;
  }

  /** How many requests that write there is still room for: always a few. */
  get writes(): number {
    return Math.max(leastWrites, Math.floor((this.#mostSent - this.#sent) / pointsOfWrite));
  }

  /** The requests so far. */
  get #sent(): number {
    const { requests, sent = requests } = this.#ci.usage();
    const { requests: requestsBefore, sent: sentBefore = requestsBefore } = this.#before;
    return sent - sentBefore;
  }

  /** A CI system with a limit on what counts has one on everything in a minute, too. */
  get #mostSent(): number {
    return this.#budget().most === Infinity ? Infinity : mostSentInRound;
  }

  /** Whether the CI system has answered nothing that it was asked. */
  get isSilent(): boolean {
    return this.#failuresInARow >= mostFailures || (this.#failures > 0 && this.#answers === 0);
  }
}
