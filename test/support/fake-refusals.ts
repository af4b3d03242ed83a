import type { JobRefused } from '../../functions/domain/job-events.ts';
import type { Refusals } from '../../functions/ports/refusals.ts';

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
