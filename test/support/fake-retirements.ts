import type { Retirement, Retirements } from '../../functions/ports/retirements.ts';

/** Retirements that only remember what was asked for. */
export class FakeRetirements implements Retirements {
  readonly requested: Retirement[] = [];

  async request(retirement: Retirement): Promise<void> {
    this.requested.push(retirement);
  }
}
