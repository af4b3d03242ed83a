import { checkExchange, type GitlabExchange } from '../../../support/gitlab/description/check-exchange.ts';
import { startFakeGitlab } from '../../../support/gitlab/start-fake-gitlab.ts';

const paused: GitlabExchange = {
  method: 'PUT',
  path: '/runners/7',
  query: '',
  body: { paused: true, maintenance_note: 'davit: no new job' },
  status: 200,
  answer: { id: 7, paused: true, tag_list: ['linux'], maintenance_note: null },
};
const jobs: GitlabExchange = {
  method: 'GET',
  path: '/projects/acme%2Fapp/jobs',
  query: '?scope%5B%5D=pending&per_page=100&page=1',
  body: '',
  status: 200,
  answer: [{ id: 8, status: 'pending' }],
};

describe("GitLab's description", () => {
  test.each([
    ['a change of a runner', paused],
    ['a list of jobs', jobs],
    ['a refusal', { ...paused, status: 404, answer: { message: '404 Not found' } }],
    ['a removal, of which it is wrong', { ...paused, method: 'DELETE', body: '', status: 204, answer: undefined }],
    ['a request that was not read there', { ...jobs, path: '/groups/acme', query: '?with_projects=false', answer: {} }],
  ])('has %s', (_what, exchange) => {
    expect(checkExchange(exchange)).toEqual([]);
  });

  test.each<[string, GitlabExchange, string]>([
    ['an operation', { ...paused, path: '/runners/7/pause' }, 'GitLab has no PUT /runners/7/pause'],
    ['a method', { ...paused, method: 'PATCH' }, 'GitLab has no PATCH /runners/7'],
    ['a parameter', { ...jobs, query: '?state=pending' }, 'has no parameter state'],
    ["a parameter's value", { ...jobs, query: '?scope%5B%5D=queued' }, 'the parameter scope[] cannot be queued'],
    ['a page', { ...jobs, query: '?page=last' }, 'the parameter page cannot be last'],
    ['a field of a request', { ...paused, body: { pause: true } }, 'the body has no field pause'],
    ["a field's type", { ...paused, body: { paused: 'true' } }, 'paused in the body cannot be "true"'],
    ['a status', { ...paused, status: 204, answer: undefined }, 'has no status 204'],
    ['a list', { ...jobs, answer: { id: 8 } }, 'answers a list'],
    ['a single thing', { ...paused, answer: [] }, 'answers no list'],
    ['a field of an answer', { ...jobs, answer: [{ id: 8, state: 'pending' }] }, 'the answer has no field state'],
    ["an answer's type", { ...jobs, answer: [{ id: '8' }] }, 'id in the answer cannot be "8"'],
    [
      'a type that is corrected',
      { ...paused, answer: { tag_list: 'linux' } },
      'tag_list in the answer cannot be "linux"',
    ],
  ])('lacks another one for %s', (_what, exchange, problem) => {
    expect(checkExchange(exchange)).toEqual([expect.stringContaining(problem)]);
  });

  test('refuses a webhook without its URL', () => {
    const made = {
      method: 'POST',
      path: '/projects/1/hooks',
      query: '',
      body: { name: 'davit' },
      status: 201,
      answer: {},
    };

    expect(checkExchange(made)).toEqual(['POST /projects/1/hooks 201: the body lacks url']);
  });
});

test('a fake that was asked for what GitLab does not have says so when it stops', async () => {
  const gitlab = await startFakeGitlab();
  await fetch(`${gitlab.url}/api/v4/groups/acme/runners?kind=group_type`, {
    headers: { 'private-token': gitlab.token },
  });

  await expect(gitlab.stop()).rejects.toThrow('GET /groups/acme/runners 200: has no parameter kind');
});
