import type { CleanUps } from '../../ports/requests.ts';

/** Records the requested clean-ups and does nothing else. */
export class FakeCleanUps implements CleanUps {
  readonly requested: string[] = [];

  async request(launchId: string): Promise<void> {
    this.requested.push(launchId);
  }
}
