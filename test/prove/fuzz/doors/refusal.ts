import assert from 'node:assert/strict';
import * as z from 'zod';
import { toDavitError } from '../../../../adapters/kubernetes/to-davit-error.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { assertNoSecret } from '../http/secrets.ts';

/**
 * Summarizes davit's refusal of a cluster's answer. JSON of another shape is a defect, and passes through as the
 * schema's own error. Unreadable answers have a family.
 *
 * @throws AssertionError for any other error
 */
export function refusalOf(error: unknown): string {
  assertNoSecret(String(error), 'the error');
  if (error instanceof z.core.$ZodError) return 'refused: another shape';
  const judged = toDavitError(error, { what: 'get pods', endpoint: 'https://192.0.2.1', subject: {} });
  assert.ok(judged instanceof TransientError, error instanceof Error ? error.stack : String(error));
  return `refused: ${judged.code}`;
}
