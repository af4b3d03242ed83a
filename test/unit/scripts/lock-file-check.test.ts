import { LockFile, lockFileProblems } from '../../../scripts/checks/lock-file-check.ts';

const integrity = 'sha512-AAAA';
const elsewhere = 'https://mirror.example/fast/-/fast-1.0.0.tgz';

test.each<[what: string, packages: object, problems: string[]]>([
  [
    'whose packages all have a hash, also with bundled packages, is accepted',
    {
      '': { version: '0.1.0', optionalDependencies: { fast: '1.0.0' } },
      'node_modules/fast': {
        version: '1.0.0',
        integrity,
        resolved: 'https://registry.npmjs.org/fast/-/fast-1.0.0.tgz',
      },
      'node_modules/fast/node_modules/inner': { version: '2.0.0', inBundle: true },
    },
    [],
  ],
  [
    'with a package without a hash is reported',
    { 'node_modules/fast-darwin': { version: '1.0.0' } },
    ['node_modules/fast-darwin 1.0.0 has no integrity'],
  ],
  [
    'with a package from another host than the public registry is reported',
    { 'node_modules/fast': { version: '1.0.0', integrity, resolved: elsewhere } },
    [`node_modules/fast 1.0.0 is from ${elsewhere}`],
  ],
  [
    'with an optional package that is not locked is reported',
    {
      'node_modules/fast': {
        version: '1.0.0',
        integrity,
        optionalDependencies: { 'fast-linux': '1', 'fast-mac': '1' },
      },
      'node_modules/fast-linux': { version: '1.0.0', integrity },
    },
    ['node_modules/fast 1.0.0 needs fast-mac, which is not locked'],
  ],
])('a lock file %s', (_what, packages, problems) => {
  expect(lockFileProblems(LockFile.parse({ packages }))).toEqual(problems);
});
