import type { RequestPurpose } from '../../core/ci/request-pace.ts';
import { TransientError } from '../../core/errors/errors.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { PlannedRequests, SystemPace } from './system-pace.ts';

/** What a function is about to ask of a CI system, and what for. */
interface PacedRequests extends PlannedRequests {
  ciSystem: string;
  purpose: RequestPurpose;
  /** The launch that it is about, for errors. @default none */
  launchId?: string;
}

interface PaceDeps<Ci> {
  ciSystemOf: (ciSystem: string) => Ci;
  pace: Pick<SystemPace, 'take' | 'heed'>;
}

/**
 * Asks a CI system when the pace of all functions lets it. Shares the pause that the system asks for.
 *
 * @throws TransientError CiUnavailable when other requests need this minute, StoreUnavailable; what `ask` throws
 */
export async function atPace<Ci extends Pick<CiSystem, 'usage'>, Answer>(
  { ciSystemOf, pace }: PaceDeps<Ci>,
  { ciSystem, purpose, launchId, ...requests }: PacedRequests,
  ask: (ci: Ci) => Promise<Answer>,
): Promise<Answer> {
  const ci = ciSystemOf(ciSystem);
  const tooEarly = await pace.take(ciSystem, purpose, requests);
  if (tooEarly !== undefined)
    throw new TransientError('CiUnavailable', tooEarly.detail, launchId === undefined ? {} : { launchId });
  try {
    return await ask(ci);
  } catch (error) {
    if (error instanceof TransientError && error.code === 'CiUnavailable') await pace.heed(ciSystem, ci);
    throw error;
  }
}
