import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignatureV4 } from '@smithy/signature-v4';
import { endpointUrl, homeRegion, type RoleCredentials, roleCredentials } from '../../config.ts';
import { TransientError } from '../../domain/errors.ts';
import { createHttpClient } from '../http-client.ts';
import { describeError, isThrottling, mayPass } from './aws-error.ts';
import type { AwsService } from './aws-services.ts';
import { endpointOf } from './endpoint-of.ts';
import { readAnswer } from './read-answer.ts';
import { Sha256 } from './sha256.ts';

/** What a client is made with; what is not given comes from the environment. */
export interface AwsSettings {
  region?: string;
  /** The service's URL. */
  endpoint?: string;
  /** The credentials as they are now: asked for each request. */
  credentials?: () => RoleCredentials;
  /** @default 3 */
  maxAttempts?: number;
  /** How long one attempt may take, connecting and the answer's body included. @default 3000 */
  requestMs?: number;
  /** How long connecting may take. @default 1000 */
  connectMs?: number;
}

/** One call of a service's API. */
export interface AwsRequest {
  method: 'GET' | 'POST';
  /** With the names in it encoded. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** Calls one service. */
export interface AwsClient {
  /** Where it is. */
  region: string;
  /**
   * Makes a call, up to three times.
   *
   * @param operation its name, for errors
   * @returns the answer's body, parsed and unchecked; undefined when there is none
   * @throws TransientError StoreUnavailable when the service could not be reached, did not answer in time, throttled, or
   *   failed on its side, each time; AwsError for any other answer that is no success
   */
  send: (operation: string, request: AwsRequest) => Promise<unknown>;
}

const backoffBaseMs = 50;
const throttledBackoffBaseMs = 1000;

/**
 * Makes a client of a service.
 *
 * An attempt takes at most 3 s, and before the second and the third one there is a wait of up to 50 and 100 ms, with
 * full jitter (throttled: up to 1 and 2 s). So a service that is silent costs 3 × 3 s + 0.15 s, and the functions that
 * answer callers have 15 s. A write whose answer was lost is repeated too: who asks for one makes it a conditional one.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function createAwsClient(service: AwsService, settings: AwsSettings = {}): AwsClient {
  const { region = homeRegion(), credentials = roleCredentials, maxAttempts = 3 } = settings;
  const { requestMs = 3000, connectMs = 1000 } = settings;
  const configured = settings.endpoint ?? endpointUrl(service.endpointVariable);
  const endpoint = new URL(configured ?? endpointOf(service.id, region));
  const { protocol, hostname, host } = endpoint;
  const http = createHttpClient({ protocol, connectMs });
  const signer = new SignatureV4({
    service: service.id,
    region,
    credentials: async () => credentials(),
    sha256: Sha256,
  });

  async function attempt({ method, path, headers = {}, body }: AwsRequest): Promise<unknown> {
    const toSign = { method, protocol, hostname, path, query: {}, headers: { ...headers, host }, body };
    const signed = await signer.sign(toSign);
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const request = { method, url: new URL(path, endpoint).href, headers: { ...signed.headers, ...length }, body };
    const answer = await http.send(request, AbortSignal.timeout(requestMs));
    return readAnswer({ ...answer, body: await text(answer.chunks) });
  }

  async function send(operation: string, request: AwsRequest): Promise<unknown> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(request);
      } catch (cause) {
        if (!mayPass(cause)) throw cause;
        if (attempts >= maxAttempts) {
          const says = `${service.title} ${operation}: ${describeError(cause)}`;
          throw new TransientError('StoreUnavailable', says, {}, { cause });
        }
        const baseMs = isThrottling(cause) ? throttledBackoffBaseMs : backoffBaseMs;
        await sleep(Math.random() * baseMs * 2 ** (attempts - 1));
      }
    }
  }

  return { region, send };
}
