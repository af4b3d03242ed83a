import assert from 'node:assert/strict';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod';
import { startGatewayServer } from '../../../../local/gateway/gateway-server.ts';
import { type JsonValue, parseJson } from '../../../../local/json-value.ts';
import { routes } from '../../../../runtime/function-settings.ts';
import { defineDoor } from '../door.ts';
import { anyRawRequest, bytesOf, isWhole, type Keys } from '../http/any-raw-request.ts';
import { checkAnswer, type RawAnswer } from '../http/check-answer.ts';
import type { FuzzRequest } from '../http/fuzz-request.ts';
import { type FuzzedDavit, makeFuzzedDavit } from '../http/fuzzed-davit.ts';
import { exchange, statusesOf } from '../http/raw-http.ts';
import { assertNoSecret, secrets } from '../http/secrets.ts';
import { isEntitled } from './connect-requests.ts';
import { isSigned } from './webhook-requests.ts';

const keys: Keys = { webhook: secrets.webhook, credential: secrets.credentialKey };

/** All HTTP doors at once, over a real socket: valid and invalid HTTP, through the gateway and the HTTP handler. */
export const gatewayDoor = defineDoor({
  inputs: anyRawRequest,
  open: async (opened) => {
    let davit = await makeFuzzedDavit();
    const faults: unknown[] = [];
    const gateway = opened.use(
      await startGatewayServer({
        routes,
        invokeFunction: async (name, event) => {
          if (davit.changes() > 0) davit = await makeFuzzedDavit();
          return { requestId: 'request-1', payload: await invoke(davit, name, event, faults) };
        },
      }),
    );
    return async (raw) => {
      const answer = await exchange(gateway.port, bytesOf(raw, keys), isWhole(raw, keys));
      if (faults.length > 0) throw faults.splice(0)[0];
      assertNoSecret(answer, 'what came back');
      const statuses = statusesOf(answer);
      assert.ok(answer === '' || statuses.length > 0, `no HTTP came back: ${answer.slice(0, 200)}`);
      assert.ok(!statuses.includes(500) && !statuses.includes(502), `answered ${statuses.join()}: ${answer}`);
      return statuses.length === 0 ? 'hung up' : statuses.join(', ');
    };
  },
});

const Answer = z.object({ statusCode: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });

/** Runs a function, and checks its answer here, where the gateway's parsed request is known. */
async function invoke(davit: FuzzedDavit, name: string, event: JsonValue, faults: unknown[]): Promise<JsonValue> {
  try {
    const handler = Object.entries(davit.handlers).find(([known]) => known === name)?.[1];
    assert.ok(handler !== undefined, `no function ${name}`);
    const request = event as object as APIGatewayProxyEventV2;
    const payload = parseJson(JSON.stringify(await handler(request)));
    const { statusCode: status, headers, body } = Answer.parse(payload);
    checkLetIn(name, requestOf(request), { status, headers, body });
    for (const { level, message, keys: logged } of davit.logger.lines.splice(0)) {
      assert.equal(level, 'info', `logged as ${level}: ${message}: ${logged.error?.stack}`);
    }
    return payload;
  } catch (error) {
    faults.push(error);
    throw error;
  }
}

function checkLetIn(name: string, request: FuzzRequest, answer: RawAnswer): void {
  const words = checkAnswer(answer);
  if (answer.status >= 300) return;
  if (name === 'webhook') assert.ok(isSigned(request, keys.webhook), `not signed, and answered ${words}`);
  if (name === 'connect') assert.ok(isEntitled(request, keys.credential), `not entitled, and answered ${words}`);
}

function requestOf({ headers, body, isBase64Encoded, requestContext, rawPath }: APIGatewayProxyEventV2): FuzzRequest {
  return {
    method: requestContext.http.method,
    segments: rawPath.split('/').slice(1),
    query: {},
    headers: Object.entries(headers).map(([name, value]) => [name, value ?? ''] as const),
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}
