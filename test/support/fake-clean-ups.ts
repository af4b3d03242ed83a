import type { CleanUps } from '../../functions/ports/clean-ups.ts';

/** Clean-ups that only remember what was asked for. */
export class FakeCleanUps implements CleanUps {
  readonly requested: string[] = [];

  async request(launchId: string): Promise<void> {
    this.requested.push(launchId);
  }
}
