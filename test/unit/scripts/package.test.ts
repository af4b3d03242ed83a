import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { rootFolder } from '../../../cdk/bundling.ts';
import { PrebuiltBundles, packBundles } from '../../../cdk/prebuilt-bundles.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { bundlePrograms, programs } from '../../../scripts/package/bundle-programs.ts';
import { withBundled } from '../../../scripts/package/bundled-packages.ts';
import { importedBy } from '../../../scripts/package/imported-by.ts';
import { makePackageJson } from '../../../scripts/package/package-json.ts';
import { rewriteExtensions } from '../../../scripts/package/rewrite.ts';
import { runProcess } from '../../../scripts/run-process.ts';
import { newFolder } from '../../support/new-folder.ts';

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

test("the SBOM lists each package that is a part of the package's own files, once", () => {
  const zod = { 'bom-ref': `zod@${packageJson.dependencies.zod}`, name: 'zod' };
  const sbom = JSON.stringify({ bomFormat: 'CycloneDX', components: [zod] });
  const folders = ['zod', 'aws-cdk-lib', 'constructs'].map((name) => join(rootFolder, 'node_modules', name));

  expect(JSON.parse(withBundled(sbom, folders))).toEqual({
    bomFormat: 'CycloneDX',
    components: [
      zod,
      expect.objectContaining({ purl: expect.stringMatching(/^pkg:npm\/aws-cdk-lib@2\.\d+\.\d+$/) }),
      expect.objectContaining({ name: 'constructs', licenses: [{ license: { id: 'Apache-2.0' } }] }),
    ],
  });
});

describe('a program of the package', () => {
  const files = (folder: string, contents: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(contents)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const emptyPrograms = Object.fromEntries(Object.values(programs).map((path) => [path, '']));

  test('knows the places of files beside its modules, although it is one bundle', async () => {
    const folder = newFolder();
    files(folder, {
      ...emptyPrograms,
      'package.json': '{"type":"module"}',
      'local/main.js': "import { place } from './machine/definition.js'; console.log(place, 'import.meta.url');",
      'local/machine/definition.js': "export const place = new URL('../../a.json', import.meta.url).pathname;",
    });

    await bundlePrograms(folder);
    rmSync(join(folder, 'local/machine'), { recursive: true });

    const { output } = await runProcess(process.execPath, [join(folder, 'local/main.js')], { cwd: folder });
    expect(output.trim()).toBe(`${join(realpathSync(folder), 'a.json')} import.meta.url`);
  });

  test('keeps the modules that users still reach, and says which packages these import', () => {
    const folder = newFolder();
    files(folder, {
      'a.js': "import './b.js'; import '@scope/one/file.js';",
      'b.js': "import 'node:fs'; import 'two';",
      'c.js': '',
    });

    const { modules, packages } = importedBy(folder, ['a.js']);

    expect([...modules].toSorted()).toEqual(['a.js', 'b.js']);
    expect([...packages].toSorted()).toEqual(['@scope/one', 'two']);
  });
});

test('the common part of bundles is stored once', () => {
  const shared = Array.from({ length: 200_000 }, (_, index) => ((index * 2_654_435_761) >>> 7).toString(36)).join('');
  const one = packBundles({ a: { 'index.mjs': shared } });
  const two = packBundles({ a: { 'index.mjs': shared }, b: { 'index.mjs': shared } });

  expect(two.length).toBeLessThan(one.length * 1.05);
  expect(PrebuiltBundles.parse(JSON.parse(brotliDecompressSync(two).toString()))['b']).toEqual({ 'index.mjs': shared });
});
