import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type CallerGuard, createCallerGuard } from '../../../../local/gateway/caller-guard.ts';
import { startGatewayServer } from '../../../../local/gateway/gateway-server.ts';
import type { Route } from '../../../../local/gateway/route.ts';

const guard = createCallerGuard({ hostNames: ['davit.example', '10.0.0.5'], token: 'secret' });
const launches: Route = { method: 'POST', path: '/launches', functionName: 'launches', authorization: 'iam' };
const webhook: Route = { method: 'POST', path: '/webhooks/github', functionName: 'webhook', authorization: 'self' };
const good = { host: 'localhost:8080', authorization: 'Bearer secret', 'content-type': 'application/json' };

/** The status that refuses a POST with these headers; undefined if the guard lets it through. */
function refusal(headers: Record<string, string>, route = launches, ask: CallerGuard = guard): number | undefined {
  const Message = z.custom<IncomingMessage>();
  return ask(Message.parse({ method: 'POST', headers }), route)?.statusCode;
}

describe('a request to /launches is let through', () => {
  test.each(['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'davit.example', 'DAVIT.example:8080', '10.0.0.5:8080'])(
    'when it is sent to %s with the token',
    (host) => {
      expect(refusal({ ...good, host })).toBeUndefined();
    },
  );

  test.each([{ origin: 'http://localhost:8080' }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])(
    'when it is from the same site: %j',
    (headers) => {
      expect(refusal({ ...good, ...headers })).toBeUndefined();
    },
  );
});

describe('a request to /launches is refused', () => {
  test.each([
    ['another name for this address', { host: 'evil.example:8080' }, 421],
    ['a name that begins like its own', { host: 'localhost.evil.example' }, 421],
    ['no host', { host: '' }, 421],
    ['no token', { authorization: '' }, 401],
    ['another token', { authorization: 'Bearer secrets' }, 401],
    ['text, which any page may send', { 'content-type': 'text/plain' }, 415],
    ['no type', { 'content-type': '' }, 415],
    ['a foreign origin', { origin: 'https://evil.example' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['another port of this machine', { origin: 'http://localhost:3000' }, 403],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ["a neighbour's page", { 'sec-fetch-site': 'same-site' }, 403],
  ])('with %s', (_what, headers, status) => {
    expect(refusal({ ...good, ...headers })).toBe(status);
  });
});

test("a webhook may have any host name and no token, but not come from another site's page", () => {
  const delivery = { host: 'tunnel.example', 'content-type': 'application/json' };

  expect(refusal(delivery, webhook)).toBeUndefined();
  expect(refusal({ ...delivery, origin: 'https://evil.example' }, webhook)).toBe(403);
});

test('a gateway with a guard returns its refusals, and does not run the function', async () => {
  const invoked: string[] = [];
  await using server = await startGatewayServer({
    routes: [launches],
    guard,
    invokeFunction: async (name) => {
      invoked.push(name);
      return { requestId: '1', payload: { statusCode: 202 } };
    },
  });
  const post = (headers: Record<string, string>) =>
    fetch(`${server.url}/launches`, { method: 'POST', headers, body: '{}' });

  const refused = await post({ 'content-type': 'application/json' });
  const taken = await post({ authorization: 'Bearer secret', 'content-type': 'application/json' });

  expect([refused.status, taken.status, invoked]).toEqual([401, 202, ['launches']]);
});
