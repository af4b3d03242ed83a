import * as z from 'zod';
import type { HttpAnswer } from '../../runtime/http/answer.ts';

export function readAnswer({ statusCode, body }: HttpAnswer): { status: number; body: Record<string, unknown> } {
  return { status: statusCode, body: z.record(z.string(), z.unknown()).parse(JSON.parse(body)) };
}
