import { LockFile, lockFileProblems } from '../../../scripts/checks/lock-file-check.ts';

const integrity = 'sha512-AAAA';
const problemsOf = (packages: object) => lockFileProblems(LockFile.parse({ packages }));

test('a lock file whose packages all have a hash is accepted, also with bundled packages', () => {
  const problems = problemsOf({
    '': { version: '0.1.0', optionalDependencies: { fast: '1.0.0' } },
    'node_modules/fast': { version: '1.0.0', integrity, resolved: 'https://registry.npmjs.org/fast/-/fast-1.0.0.tgz' },
    'node_modules/fast/node_modules/inner': { version: '2.0.0', inBundle: true },
  });

  expect(problems).toEqual([]);
});

test('a package without a hash is reported', () => {
  const problems = problemsOf({ 'node_modules/fast-darwin': { version: '1.0.0' } });

  expect(problems).toEqual(['node_modules/fast-darwin 1.0.0 has no integrity']);
});

test('a package from another host than the public registry is reported', () => {
  const resolved = 'https://mirror.example/fast/-/fast-1.0.0.tgz';

  const problems = problemsOf({ 'node_modules/fast': { version: '1.0.0', integrity, resolved } });

  expect(problems).toEqual([`node_modules/fast 1.0.0 is from ${resolved}`]);
});

test('an optional package that is not locked is reported', () => {
  const optionalDependencies = { 'fast-linux': '1.0.0', 'fast-darwin': '1.0.0' };

  const problems = problemsOf({
    'node_modules/fast': { version: '1.0.0', integrity, optionalDependencies },
    'node_modules/fast-linux': { version: '1.0.0', integrity },
  });

  expect(problems).toEqual(['node_modules/fast 1.0.0 needs fast-darwin, which is not locked']);
});
