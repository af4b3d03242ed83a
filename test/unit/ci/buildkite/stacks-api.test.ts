import { StacksApi } from '../../../../ci/buildkite/stacks-api.ts';
import { createRateMeter } from '../../../../ci/rate-meter.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';

let server: LoopbackServer;
let queue: object;

beforeEach(async () => {
  const job = {
    id: '01234567-89ab-cdef-0123-456789abcdef',
    agent_query_rules: [],
    scheduled_at: '2026-01-01T00:00:00.000Z',
    pipeline: { slug: 'web', uuid: 'uuid-of-web' },
    build: { number: 1 },
  };
  server = await startLoopbackServer((_request, response) => {
    const list = { jobs: [job], page_info: { has_next_page: false, end_cursor: null }, cluster_queue: queue };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
  });
});

afterEach(() => server.stop());

function stacks(): StacksApi {
  const meter = createRateMeter();
  const connection = { name: 'kite', baseUrl: server.url, headers: async () => ({}), meter, timeoutMs: 60_000 };
  return new StacksApi(connection, { readKey: async () => 'davit', queue: 'default' });
}

test.each([
  ['as its documentation names the pause', { dispatch_paused: true }, 0],
  ["as Buildkite's own client names the pause", { paused: true }, 0],
  ['with no pause', { dispatch_paused: null }, 1],
])('a queue that is described %s has jobs for davit accordingly', async (_what, described, jobs) => {
  queue = described;

  expect(await stacks().scheduledJobs()).toHaveLength(jobs);
});
