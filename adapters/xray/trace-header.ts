/** A place in a trace. */
export interface TracePlace {
  traceId: string;
  /** The segment that the next one continues; absent at the trace's beginning. */
  parentId?: string;
  isSampled: boolean;
}

/**
 * Reads an X-Ray trace header: `Root=1-…;Parent=…;Sampled=1`.
 *
 * @returns undefined for a text that is no trace header
 * @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
export function readTraceHeader(header: string): TracePlace | undefined {
  const traceId = /(?:^|;) *Root=(1-[0-9a-f]{8}-[0-9a-f]{24}) *(?:;|$)/.exec(header)?.[1];
  if (traceId === undefined) return undefined;
  const parentId = /; *Parent=([0-9a-f]{16}) *(?:;|$)/.exec(header)?.[1];
  const isSampled = /; *Sampled=1 *(?:;|$)/.test(header);
  return { traceId, isSampled, ...(parentId === undefined ? {} : { parentId }) };
}
