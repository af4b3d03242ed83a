import { open } from 'node:fs/promises';
import * as z from 'zod';

/** A request that the API server has answered. */
export interface ApiCall {
  user: string;
  verb: string;
  resource: string;
  /** The object's name, also when the request watches that one object. */
  name: string;
  status: number;
  startEpochMs: number;
  endEpochMs: number;
}

/** @see https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/ */
const AuditEvent = z.object({
  verb: z.string(),
  requestURI: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z.object({ resource: z.string().optional(), name: z.string().optional() }).optional(),
  responseStatus: z.object({ code: z.int().optional() }).optional(),
  requestReceivedTimestamp: z.string(),
  stageTimestamp: z.string(),
});

/** Reads new entries of an API server's audit log. */
export interface AuditLog {
  /** @returns one user's requests that were answered since the last call */
  read(user: string): Promise<ApiCall[]>;
}

/** Opens the log at its current end. */
export async function openAuditLog(path: string): Promise<AuditLog> {
  let position = await sizeOf(path);
  return {
    read: async (user) => {
      const size = await sizeOf(path);
      const added = await readFrom(path, position, size);
      // The last line may be half written.
      const end = added.lastIndexOf(10) + 1;
      position += end;
      const lines = added.subarray(0, end).toString().split('\n').filter(Boolean);
      return lines.map((line) => callOf(AuditEvent.parse(JSON.parse(line)))).filter((call) => call.user === user);
    },
  };
}

function callOf({ verb, requestURI, user, objectRef, responseStatus, ...times }: z.infer<typeof AuditEvent>): ApiCall {
  const selected = /^metadata\.name=(.*)$/.exec(
    new URL(requestURI, 'http://server').searchParams.get('fieldSelector') ?? '',
  );
  return {
    user: user.username,
    verb,
    resource: objectRef?.resource ?? '',
    name: objectRef?.name ?? selected?.[1] ?? '',
    status: responseStatus?.code ?? 0,
    startEpochMs: epochMsOf(times.requestReceivedTimestamp),
    endEpochMs: epochMsOf(times.stageTimestamp),
  };
}

/** Parses an RFC 3339 time with microseconds, which `Date` truncates. */
function epochMsOf(time: string): number {
  const micros = /\.\d{3}(\d{3})Z$/.exec(time)?.[1] ?? '0';
  return Date.parse(time) + Number(micros) / 1000;
}

async function sizeOf(path: string): Promise<number> {
  await using file = await open(path);
  return (await file.stat()).size;
}

async function readFrom(path: string, start: number, end: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(end - start), position: start });
  return buffer.subarray(0, bytesRead);
}
