import type { IncomingMessage } from 'node:http';
import { parse as parseYamlText } from 'yaml';
import { badRequest, failure } from '../store/status-error.ts';
import { isJsonObject, type Json, type JsonObject, withoutNulls } from './json.ts';
import { kubeProtobuf, readKubeProtobuf } from './kube-protobuf.ts';

const mostBytes = 3 * 1024 * 1024;

/** @throws StatusError RequestEntityTooLarge (413) above the API server's own limit of 3 MiB. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > mostBytes) {
      throw failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${mostBytes}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a request's body as text. @throws StatusError RequestEntityTooLarge (413). */
export async function readBody(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString('utf8');
}

/** Returns the media type of a request's body, without parameters. @default JSON */
export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Makes the error for a body whose media type is not accepted. */
export function unsupportedMediaType(accepted: readonly string[]): Error {
  return failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/**
 * Parses JSON.
 *
 * @param purpose the start of the error message
 * @throws StatusError BadRequest (400) for malformed JSON.
 */
export function parseJson(text: string, purpose: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`${purpose}: ${jsonFlaw(error)}`);
  }
}

/** Describes malformed JSON, in Go's words if the text ends too early. */
function jsonFlaw(error: unknown): string {
  const flaw = error instanceof Error ? error.message : String(error);
  return flaw === 'Unexpected end of JSON input' ? 'unexpected end of JSON input' : flaw;
}

/** Parses YAML, which includes JSON. @throws StatusError BadRequest (400) for malformed YAML. */
export function parseYaml(text: string, purpose: string): Json {
  try {
    return parseYamlText(text) as Json;
  } catch (error) {
    throw badRequest(`${purpose}: yaml parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Parses JSON like `parseJson`. Its error quotes the text, as the real server's decoder of objects does. */
function parseObjectJson(text: string, purpose: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`${purpose}; json parse error: ${jsonFlaw(error)} (${text === '' ? '<empty>' : text})`);
  }
}

/**
 * Reads a request's body as an object of a kind.
 *
 * @throws StatusError BadRequest (400) if the body is not an object, UnsupportedMediaType (415).
 */
export async function readObject(request: IncomingMessage, kind: string): Promise<JsonObject> {
  const purpose = `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind`;
  const parsers: Readonly<Record<string, (body: Buffer) => Json>> = {
    'application/json': (body) => parseObjectJson(body.toString('utf8'), purpose),
    'application/yaml': (body) => parseYaml(body.toString('utf8'), purpose),
    [kubeProtobuf]: readKubeProtobuf,
  };
  const parse = parsers[mediaTypeOf(request)];
  if (parse === undefined) throw unsupportedMediaType(Object.keys(parsers));
  const value = withoutNulls(parse(await readBytes(request)));
  if (!isJsonObject(value)) {
    throw badRequest(`${purpose}: json parse error: cannot unmarshal ${typeof value} into an object`);
  }
  return value;
}
