import { errorCodes, isErrorCode } from '../../core/errors/error-codes.ts';

/** Says what an error code means and what to do; empty for a code of another version of davit. */
export function explanationOf(code: string): { means?: string; advice?: string } {
  if (!isErrorCode(code)) return {};
  const { means, advice } = errorCodes[code];
  return { means, advice };
}

/** What to do about webhooks that davit refuses. */
export const refusedAdvice =
  "Compare the CI system's webhook secret with the one that davit.yaml names, and its content type with application/json. Its page of webhook deliveries has davit's answers.";
