import type { JobRefused } from '../../core/events/job-events.ts';
import type { Refusals } from '../../ports/requests.ts';

/** Records the refused jobs. A test may make it fail. */
export class FakeRefusals implements Refusals {
  readonly told: JobRefused[] = [];
  /** While set, it takes none. */
  refuse: Error | undefined;

  async tell(refused: JobRefused): Promise<void> {
    if (this.refuse !== undefined) throw this.refuse;
    this.told.push(refused);
  }
}
