import { wordsOf } from '../../../../ci/jenkins/jenkins-api.ts';

const missing = 'davit is missing the Agent/Delete permission';

test.each([
  ['a missing permission', `<html><body><p>${missing}</p></body></html>`, {}, missing],
  ['a header of what is wrong', '<html></html>', { 'x-error': 'no such label' }, 'no such label'],
  ['nothing on the page of a proxy', '<h1>502</h1>', {}, undefined],
])('an error page says %s', (_what, page, headers: Record<string, string>, words) => {
  expect(wordsOf(new Headers(headers), page)).toBe(words);
});

test('of a page of one long line only the end before the missing permission is read', () => {
  const words = wordsOf(new Headers(), `${'x'.repeat(10_000)} ${missing}`);

  expect(words).toMatch(/^x+ davit is missing the Agent\/Delete permission$/);
  expect(words?.length).toBeLessThan(300);
});
