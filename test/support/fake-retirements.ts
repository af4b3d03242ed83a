import type { Retirement, Retirements } from '../../ports/requests.ts';

/** Records the requested retirements and does nothing else. */
export class FakeRetirements implements Retirements {
  readonly requested: Retirement[] = [];

  async request(retirement: Retirement): Promise<void> {
    this.requested.push(retirement);
  }
}
