import * as z from '../../zod.ts';

/** What fetch says of a connection that failed. */
const Failed = z.object({ name: z.literal('TypeError'), message: z.enum(['fetch failed', 'terminated']) });
/** What an AbortSignal says. */
const Aborted = z.object({ name: z.enum(['TimeoutError', 'AbortError']) });
/** Its cause has the words of the system, of TLS or of undici. */
const Cause = z.object({ message: z.string(), code: z.optional(z.string()) });

/** Says whether a connection could not be made, broke, or took too long. */
export function isConnectionError(error: unknown): error is Error {
  return error instanceof Error && (Failed.safeParse(error).success || Aborted.safeParse(error).success);
}

/** Words such an error for a message: `connect ECONNREFUSED 127.0.0.1:6443`. */
export function describeConnectionError(error: Error): string {
  if (Aborted.safeParse(error).success) return 'no answer in time';
  const { message, code = '' } = Cause.safeParse(error.cause).data ?? { message: error.message };
  return message.includes(code) ? message : `${code} ${message}`;
}
