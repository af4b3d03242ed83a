import { createMemoryDavit, type MemoryDavit } from '../memory-davit.ts';
import { otherFailures } from './other-failures.ts';
import type { ShownFailure } from './shown-failure.ts';
import { taxonomyFailures } from './taxonomy-failures.ts';

/** A davit whose launches wait or failed in every way that davit knows. */
export interface FailingDavit {
  davit: MemoryDavit;
  failures: ShownFailure[];
}

/** Makes a davit with a launch for each row of the taxonomy, and for each error code that no cluster causes. */
export async function makeFailures(): Promise<FailingDavit> {
  const failures = [...(await taxonomyFailures()), ...otherFailures()];
  const davit = createMemoryDavit(['east']);
  for (const { record } of failures) await davit.put(record);
  return { davit, failures };
}
