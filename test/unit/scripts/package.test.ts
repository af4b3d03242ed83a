import { brotliDecompressSync } from 'node:zlib';
import { PrebuiltBundles, packBundles } from '../../../cdk/prebuilt-bundles.ts';
import { makePackageJson } from '../../../scripts/package/package-json.ts';
import { rewriteExtensions } from '../../../scripts/package/rewrite.ts';
import { withBundled } from '../../../scripts/package/with-bundled.ts';

describe('a compiled module', () => {
  test.each([
    ["new URL('./worker.ts', import.meta.url)", "new URL('./worker.js', import.meta.url)"],
    ['new URL("../a.mts", import.meta.url)', 'new URL("../a.mjs", import.meta.url)'],
    ["new URL('../davit.yaml', import.meta.url)", "new URL('../davit.yaml', import.meta.url)"],
    ["export * from './a.ts';", "export * from './a.js';"],
    ["type A = import('../b.ts').B;", "type A = import('../b.js').B;"],
    ["import x from 'some-package.ts';", "import x from 'some-package.ts';"],
  ])('%s becomes %s', (from, to) => {
    expect(rewriteExtensions(from)).toBe(to);
  });
});

test('a package without a version in the repository is refused', () => {
  expect(() => makePackageJson(new Set(['left-pad']))).toThrow(/lists no left-pad/);
});

test('a CDK app needs the CDK, and the command line does not', () => {
  const made = makePackageJson(new Set(['zod', 'aws-cdk-lib', 'constructs', 'fs']));

  expect(made).toMatchObject({
    dependencies: { zod: expect.any(String) },
    peerDependenciesMeta: { 'aws-cdk-lib': { optional: true }, constructs: { optional: true } },
  });
  expect(JSON.stringify(made)).not.toMatch(/"dependencies":[^}]*(aws-cdk-lib|"fs")/);
});

test('a release names its sources, as npm requires for its provenance', () => {
  expect(makePackageJson(new Set(), 'https://github.com/acme/davit')).toMatchObject({
    repository: { type: 'git', url: 'git+https://github.com/acme/davit.git' },
    publishConfig: { access: 'public', provenance: true },
  });
});

test('what is published is not private', () => {
  expect(makePackageJson(new Set())).not.toHaveProperty('private');
});

test("the SBOM lists the CDK, which is a part of the package's own files", () => {
  const sbom = JSON.stringify({ bomFormat: 'CycloneDX', components: [{ name: 'zod' }] });

  expect(JSON.parse(withBundled(sbom))).toMatchObject({
    bomFormat: 'CycloneDX',
    components: [
      { name: 'zod' },
      { name: 'aws-cdk-lib', purl: expect.stringMatching(/^pkg:npm\/aws-cdk-lib@2\.\d+\.\d+$/) },
      { name: 'constructs', licenses: [{ license: { id: 'Apache-2.0' } }] },
    ],
  });
});

test('the common part of bundles is stored once', () => {
  const shared = Array.from({ length: 200_000 }, (_, index) => ((index * 2_654_435_761) >>> 7).toString(36)).join('');
  const one = packBundles({ a: { 'index.mjs': shared } });
  const two = packBundles({ a: { 'index.mjs': shared }, b: { 'index.mjs': shared } });

  expect(two.length).toBeLessThan(one.length * 1.05);
  expect(PrebuiltBundles.parse(JSON.parse(brotliDecompressSync(two).toString()))['b']).toEqual({ 'index.mjs': shared });
});
