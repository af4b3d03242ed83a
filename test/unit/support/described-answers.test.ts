import { createDescribedAnswers } from '../../support/described-answers.ts';

const launch = { launchId: 'api-x', agentName: 'davit-api-x', status: 'launching' };
const problem = { type: 'https://davit.dev/problems/launch-unknown', title: 'x', status: 404, detail: 'x' };

function checkOf(routeKey: string, statusCode: number, body: object, headers: Record<string, string> = {}): () => void {
  const answers = createDescribedAnswers();
  const given = { 'content-type': 'application/json', location: '/launches/api-x', ...headers };
  answers.onAnswer(routeKey, { statusCode, headers: given, cookies: [], body: Buffer.from(JSON.stringify(body)) });
  return () => answers.check();
}

test('an answer that matches its description is accepted', () => {
  expect(checkOf('POST /launches', 202, launch)).not.toThrow();
  expect(checkOf('POST /launches', 403, { message: 'Forbidden' })).not.toThrow();
  const type = { 'content-type': 'application/problem+json' };
  expect(checkOf('GET /launches/{launchId}', 404, problem, type)).not.toThrow();
});

test.each([
  ['an undescribed field', 'POST /launches', 202, { ...launch, mood: 'good' }, {}, /additional properties/],
  ['a field of another type', 'POST /launches', 202, { ...launch, agentName: 7 }, {}, /agentName must be string/],
  ['a missing field', 'POST /launches', 202, { launchId: 'api-x' }, {}, /required property/],
  ['an undescribed status', 'POST /launches', 204, launch, {}, /204/],
  ['an undescribed route', 'PUT /launches', 200, launch, {}, /is not described/],
  ['another content type', 'POST /launches', 202, launch, { 'content-type': 'text/html' }, /content type text\/html/],
  ['no ETag', 'GET /launches', 200, { launches: [] }, {}, /has no header ETag/],
  [
    'a problem of another operation',
    'GET /launches/{launchId}',
    404,
    { ...problem, type: 'https://davit.dev/problems/ci-system-unknown' },
    { 'content-type': 'application/problem+json' },
    /must be equal to one of the allowed values/,
  ],
])('an answer with %s is an error', (_what, routeKey, status, body, headers, words) => {
  expect(checkOf(routeKey, status, body, headers)).toThrow(words);
});
