import { CiRunner, CiScope, scopeText } from '../../../../core/ci/ci-scope.ts';

test.each([
  { scope: { organization: 'acme' }, text: 'acme' },
  { scope: { repository: { owner: 'acme', name: 'app' } }, text: 'acme/app' },
])('the scope $scope is written as $text, and read unchanged', ({ scope, text }) => {
  expect(scopeText(scope)).toBe(text);
  expect(CiScope.parse(scope)).toEqual(scope);
});

test.each([{}, { organization: '' }, { repository: { owner: 'acme', name: '' } }, { repository: { name: 'app' } }])(
  '%j is no scope',
  (scope) => {
    expect(CiScope.safeParse(scope).success).toBe(false);
  },
);

test('a runner is known by its id and its name', () => {
  expect(CiRunner.parse({ id: 3, name: 'davit-x' })).toEqual({ id: 3, name: 'davit-x' });
});
