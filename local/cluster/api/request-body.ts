import type { IncomingMessage } from 'node:http';
import { parse as parseYamlText } from 'yaml';
import { badRequest, failure } from '../store/status-error.ts';
import { isJsonObject, type Json, type JsonObject, withoutNulls } from './json.ts';
import { KUBE_PROTOBUF, readKubeProtobuf } from './kube-protobuf.ts';

const MOST_BYTES = 3 * 1024 * 1024;

/** @throws StatusError RequestEntityTooLarge (413) above the API server's own limit of 3 MiB. */
const readBytes = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MOST_BYTES) {
      throw failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MOST_BYTES}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Reads a request's body as text. @throws StatusError RequestEntityTooLarge (413). */
export const readBody = async (request: IncomingMessage): Promise<string> =>
  (await readBytes(request)).toString('utf8');

/** The media type of a request's body, without parameters; JSON if it says nothing. */
export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';

/** The refusal of a body of another media type than those. */
export const unsupportedMediaType = (accepted: readonly string[]): Error =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/**
 * Reads JSON.
 *
 * @throws StatusError BadRequest (400).
 */
export const parseJson = (text: string, purpose: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`${purpose}: ${jsonFlaw(error)}`);
  }
};

/** What is wrong with JSON; where it only ends too early, in Go's words. */
const jsonFlaw = (error: unknown): string => {
  const flaw = error instanceof Error ? error.message : String(error);
  return flaw === 'Unexpected end of JSON input' ? 'unexpected end of JSON input' : flaw;
};

/**
 * Reads YAML, which JSON is a part of.
 *
 * @throws StatusError BadRequest (400).
 */
export const parseYaml = (text: string, purpose: string): Json => {
  try {
    return parseYamlText(text) as Json;
  } catch (error) {
    throw badRequest(`${purpose}: yaml parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** As `parseJson`; an object's decoder quotes what it was given. */
const parseObjectJson = (text: string, purpose: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`${purpose}; json parse error: ${jsonFlaw(error)} (${text === '' ? '<empty>' : text})`);
  }
};

/**
 * Reads a request's body as an object of a kind.
 *
 * @throws StatusError BadRequest (400) for what is no JSON object, UnsupportedMediaType (415).
 */
export const readObject = async (request: IncomingMessage, kind: string): Promise<JsonObject> => {
  const purpose = `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind`;
  const parsers: Readonly<Record<string, (body: Buffer) => Json>> = {
    'application/json': (body) => parseObjectJson(body.toString('utf8'), purpose),
    'application/yaml': (body) => parseYaml(body.toString('utf8'), purpose),
    [KUBE_PROTOBUF]: readKubeProtobuf,
  };
  const parse = parsers[mediaTypeOf(request)];
  if (parse === undefined) {
    throw unsupportedMediaType(Object.keys(parsers));
  }
  const value = withoutNulls(parse(await readBytes(request)));
  if (!isJsonObject(value)) {
    throw badRequest(`${purpose}: json parse error: cannot unmarshal ${typeof value} into an object`);
  }
  return value;
};
