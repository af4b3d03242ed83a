import type { Random } from '../../../simulation/world/random.ts';
import type { VirtualTime } from './virtual-time.ts';

const minuteMs = 60_000;

/** Of each hour, the minutes in which most webhooks are lost. */
const burst = { fromMinute: 20, toMinute: 25, share: 0.8 };

/** The faults of an organization's GitHub, until they end. */
export class Faults {
  #areOver = false;
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  end(): void {
    this.#areOver = true;
  }

  /** One request of a thousand. */
  failsRequest(): boolean {
    return !this.#areOver && this.#random.chance(0.001);
  }

  /** One webhook of a thousand, and four of five in a burst of five minutes of each hour. */
  losesWebhook(): boolean {
    if (this.#areOver) return false;
    const minute = Math.floor(this.#time.nowEpochMs() / minuteMs) % 60;
    const isBurst = minute >= burst.fromMinute && minute < burst.toMinute;
    return this.#random.chance(isBurst ? burst.share : 0.001);
  }

  /** One launch of a hundred. */
  failsLaunch(): boolean {
    return !this.#areOver && this.#random.chance(0.01);
  }

  /** One agent of two hundred does not exit after its job. */
  hangsAgent(): boolean {
    return !this.#areOver && this.#random.chance(0.005);
  }
}
