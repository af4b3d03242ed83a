import type { IncomingMessage } from 'node:http';

/** A request's body is larger than its reader accepts. */
export class RequestBodyTooLargeError extends Error {
  override readonly name = 'RequestBodyTooLargeError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the request body is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/**
 * Reads a request's whole body. Reads a body over the limit to its end without keeping it, so that the client is still
 * there to read the answer.
 *
 * @throws RequestBodyTooLargeError for a body over `limitBytes`; the socket's error when the client disconnects.
 */
export function readRequestBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Iterating would take a third of what a request costs.
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) chunks.length = 0;
    else chunks.push(chunk);
  });
  request.once('error', reject);
  request.once('end', () => {
    if (sizeBytes > limitBytes) reject(new RequestBodyTooLargeError(limitBytes));
    else resolve(Buffer.concat(chunks));
  });
  return promise;
}
