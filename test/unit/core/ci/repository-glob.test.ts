import * as fc from 'fast-check';
import { isRepositoryOf, RepositoryGlob } from '../../../../core/ci/repository-glob.ts';

describe('isRepositoryOf', () => {
  test.each([
    { glob: 'acme/*', repository: 'acme/app', is: true },
    { glob: 'acme/*', repository: 'ACME/App', is: true },
    { glob: 'acme/*', repository: 'acme-2/app', is: false },
    { glob: 'acme/*', repository: 'xacme/app', is: false },
    { glob: 'acme/app-?', repository: 'acme/app-1', is: true },
    { glob: 'acme/app-?', repository: 'acme/app-', is: false },
    { glob: 'acme/app-?', repository: 'acme/app-12', is: false },
    { glob: '*/app', repository: 'acme/app', is: true },
    { glob: '*/*', repository: 'acme/app', is: true },
    { glob: 'acme/a.p', repository: 'acme/app', is: false },
    { glob: 'acme/a.p', repository: 'acme/a.p', is: true },
    { glob: '*a**p/x', repository: 'acme-app/x', is: true },
  ])('$glob matches $repository: $is', ({ glob, repository, is }) => {
    const [owner = '', name = ''] = repository.split('/');

    expect(isRepositoryOf([glob], { owner, name })).toBe(is);
    expect(isRepositoryOf(['other/x', glob], { owner, name })).toBe(is);
    expect(isRepositoryOf([], { owner, name })).toBe(false);
  });

  test('a name without * and ? names that repository and no other', () => {
    const anyName = fc.stringMatching(/^[\w.-]{1,12}$/);
    fc.assert(
      fc.property(anyName, anyName, anyName, anyName, (owner, name, otherOwner, otherName) => {
        const same = `${owner}/${name}`.toLowerCase() === `${otherOwner}/${otherName}`.toLowerCase();

        expect(isRepositoryOf([`${owner}/${name}`], { owner, name })).toBe(true);
        expect(isRepositoryOf([`${owner}/${name}`], { owner: otherOwner, name: otherName })).toBe(same);
      }),
    );
  });
});

test.each(['acme', 'acme/app/x', '/app', 'acme/', 'acme/[ab]', 'https://github.com/acme/app', ''])(
  '%j is not a glob of repositories',
  (glob) => {
    expect(RepositoryGlob.safeParse(glob).success).toBe(false);
  },
);

test('a refused glob is told what was expected', () => {
  const expected = 'expected OWNER/NAME, with * and ? for what may be anything';

  expect(RepositoryGlob.safeParse('acme').error?.issues).toMatchObject([{ message: expected }]);
  expect(RepositoryGlob.safeParse(`acme/${'a'.repeat(195)}`).success).toBe(true);
  expect(RepositoryGlob.safeParse(`acme/${'a'.repeat(196)}`).success).toBe(false);
});
