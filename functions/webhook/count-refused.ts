import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { TransientError } from '../../core/errors/errors.ts';
import type { RefusedWebhookStore } from '../../ports/refused-webhooks.ts';
import type { HttpLogic } from '../../runtime/http/http-handler.ts';
import { Problem } from '../../runtime/http/problem.ts';

interface CountRefusedDeps {
  ciSystems: readonly Pick<CiSystemConfig, 'name'>[];
  refusedWebhooks: Pick<RefusedWebhookStore, 'note'>;
  nowEpochMs: () => number;
}

/** Anybody can send a delivery without a valid signature. So each function writes at most once in this time. */
const pauseMs = 10_000;

interface Counted {
  writtenAtEpochMs: number;
  unwritten: number;
}

/**
 * Wraps the webhook function: remembers, for people, the deliveries of known CI systems that it refuses. The answers stay
 * the same, even when the store does not answer.
 */
export function countRefused(
  { ciSystems, refusedWebhooks, nowEpochMs }: CountRefusedDeps,
  answer: HttpLogic,
): HttpLogic {
  const counts = new Map<string, Counted>();

  async function count(ciSystem: string, why: string): Promise<void> {
    const atEpochMs = nowEpochMs();
    const { writtenAtEpochMs, unwritten } = counts.get(ciSystem) ?? { writtenAtEpochMs: 0, unwritten: 0 };
    if (atEpochMs - writtenAtEpochMs < pauseMs) {
      counts.set(ciSystem, { writtenAtEpochMs, unwritten: unwritten + 1 });
      return;
    }
    counts.set(ciSystem, { writtenAtEpochMs: atEpochMs, unwritten: 0 });
    await refusedWebhooks.note({ ciSystem, count: unwritten + 1, why, atEpochMs }).catch(ignoreUnavailable);
  }

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      const { name } = request.parameters;
      const isKnown = ciSystems.some((system) => system.name === name);
      if (error instanceof Problem && name !== undefined && isKnown) await count(name, error.details.detail);
      throw error;
    }
  };
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof TransientError)) throw error;
}
