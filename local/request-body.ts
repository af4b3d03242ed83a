import type { IncomingMessage } from 'node:http';

/** Says that a request's body is larger than its reader takes. */
export class RequestBodyTooLargeError extends Error {
  override readonly name = 'RequestBodyTooLargeError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the request body is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/**
 * Reads a request's whole body. A larger body is read to its end but not kept, so that the client is still there to
 * read the answer.
 *
 * @throws RequestBodyTooLargeError when it has more than `limitBytes`; the socket's error when the client goes away.
 */
export async function readRequestBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.length;
    if (sizeBytes > limitBytes) chunks.length = 0;
    else chunks.push(bytes);
  }
  if (sizeBytes > limitBytes) throw new RequestBodyTooLargeError(limitBytes);
  return Buffer.concat(chunks);
}
