import type { ClusterReason } from '../../core/cluster/connection.ts';
import * as z from '../../core/zod.ts';

/** The name of fetch's error for a failed connection. */
const Failed = z.object({ name: z.literal('TypeError'), message: z.enum(['fetch failed', 'terminated']) });
/** The name of an AbortSignal's error. */
const Aborted = z.object({ name: z.enum(['TimeoutError', 'AbortError']) });
/** Its cause has the message of the operating system, of TLS or of undici. */
const Cause = z.object({ message: z.string(), code: z.optional(z.string()) });

/** Says whether a connection could not be made, broke, or took too long. */
export function isConnectionError(error: unknown): error is Error {
  return error instanceof Error && (Failed.safeParse(error).success || Aborted.safeParse(error).success);
}

/** Describes such an error for a message: `connect ECONNREFUSED 127.0.0.1:6443`. */
export function describeConnectionError(error: Error): string {
  if (Aborted.safeParse(error).success) return 'no answer in time';
  const { message, code = '' } = Cause.safeParse(error.cause).data ?? { message: error.message };
  return message.includes(code) ? message : `${code} ${message}`;
}

/** The system's and undici's codes of a connection that took too long. */
const timedOut = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
/** OpenSSL's codes of a certificate that is not trusted, and Node's and OpenSSL's of a handshake that failed. */
const tlsFailed =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|EPROTO)/;

/** Says which kind of trouble such an error is. */
export function reasonOfConnectionError(error: Error): ClusterReason {
  if (Aborted.safeParse(error).success) return 'TimedOut';
  const { code = '' } = Cause.safeParse(error.cause).data ?? {};
  if (timedOut.test(code)) return 'TimedOut';
  return tlsFailed.test(code) ? 'TLSFailed' : 'Unreachable';
}
