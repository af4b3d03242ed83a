import { ScaleSetService } from '../../../../ci/github/scale-set-service.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';

let server: LoopbackServer;
let refusal: { status: number; headers?: Record<string, string>; typeName: string };

beforeEach(async () => {
  server = await startLoopbackServer(({ url = '' }, response) => {
    if (url === '/actions/runner-registration') {
      const claims = Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 3600 })).toString('base64url');
      response.writeHead(200).end(JSON.stringify({ url: `${server.url}/tenant/`, token: `e30.${claims}.c2ln` }));
      return;
    }
    const { status, headers = {}, typeName } = refusal;
    response.writeHead(status, headers).end(JSON.stringify({ typeName, message: 'its words' }));
  });
});

afterEach(() => server.stop());

function service(): ScaleSetService {
  return new ScaleSetService({
    name: 'hub',
    url: server.url,
    apiUrl: server.url,
    scope: { organization: 'acme' },
    registrationToken: async () => 'REGISTRATION',
    timeoutMs: 60_000,
    sleep: async () => {},
    nowEpochMs: Date.now,
  });
}

const request = { method: 'POST' as const, path: '/_apis/sets/1/generatejitconfig?a=b' };

test('an exception that the caller expects is its answer', async () => {
  refusal = { status: 409, typeName: 'AgentExistsException' };

  expect(await service().call(request, ['AgentExistsException'])).toEqual({ exception: 'AgentExistsException' });
});

test('another exception is a refusal that names the request and has its words', async () => {
  refusal = { status: 403, typeName: 'AccessDeniedException' };

  await expect(service().call(request, ['AgentExistsException'])).rejects.toMatchObject({
    code: 'CiRefused',
    detail: `hub: POST ${server.url}/tenant/_apis/sets/1/generatejitconfig: 403: AccessDeniedException: its words`,
  });
});

test.each([{ 'retry-after': '5' }, { 'x-ratelimit-remaining': '0' }])(
  '403 with %o throttles, where the caller expects exceptions, too',
  async (headers) => {
    refusal = { status: 403, headers, typeName: 'RequestBlockedException' };

    await expect(service().call(request, ['AgentExistsException'])).rejects.toMatchObject({ code: 'CiUnavailable' });
  },
);
