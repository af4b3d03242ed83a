import type { HttpAnswer } from '../http/answer.ts';
import { jsonAnswer } from '../http/answer.ts';

/** Answers an event that asks for nothing, and says why. */
export function ignored(reason: string): HttpAnswer {
  return jsonAnswer(200, { ignored: true, reason });
}
