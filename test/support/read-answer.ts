import * as z from 'zod';
import type { HttpAnswer } from '../../runtime/http/answer.ts';

/** Reads an answer's status and its JSON. */
export function readAnswer({ statusCode, body }: HttpAnswer): { status: number; body: Record<string, unknown> } {
  return { status: statusCode, body: z.record(z.string(), z.unknown()).parse(JSON.parse(body)) };
}
