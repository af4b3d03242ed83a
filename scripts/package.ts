/**
 * Makes the package that would be published, in dist/package, and packs it. Completes the chart.
 *
 *     npm run package            dist/davit-ci-davit-VERSION.tgz
 *     npm run package -- --sbom  and dist/davit.cdx.json, what it depends on
 *     npm run package -- --repository https://github.com/OWNER/NAME
 */
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundledConfigFile, bundleFunctions, rootFolder } from '../cdk/bundling.ts';
import { functionNames } from '../cdk/function-permissions.ts';
import { type PrebuiltBundles, packBundles, prebuiltFile } from '../cdk/prebuilt-bundles.ts';
import { bundlePage } from '../cli/console/page-files.ts';
import { readConfig } from '../core/config/read-config.ts';
import { completeChart } from './chart/chart-files.ts';
import { bundlePrograms, programs } from './package/bundle-programs.ts';
import { bundleTemplate, templateModule } from './package/bundle-template.ts';
import { copyLicences, withBundled } from './package/bundled-packages.ts';
import { importedBy } from './package/imported-by.ts';
import { makePackageJson } from './package/package-json.ts';
import { rewriteExtensions } from './package/rewrite.ts';
import { outputOf } from './run-process.ts';

const usage = `npm run package -- [options]

Makes the package that would be published, in dist/package, and packs it into dist: the command davit, the construct with its
types, the functions' bundles, the CDK as far as davit deploy needs it, the state machine. Exit code 1 if it is larger than 10 MB.
Writes into charts/davit what the chart has from the sources: the schema of its values, and the objects of davit rbac.

  --sbom            also write dist/davit.cdx.json: everything that the package depends on (CycloneDX). Asks the registry
  --repository URL  where its sources are; npm compares it with the provenance of a release
  --help            this text
`;

const target = join(rootFolder, 'dist', 'package');
const mostBytes = 10_000_000;

/** The modules from which users reach all others: the command, what it starts, and the construct. */
const entryPoints = ['cli/davit.js', ...Object.values(programs), 'cdk/index.js', templateModule];

/** The files to copy unchanged, by their destinations. */
const copied: Readonly<Record<string, string>> = {
  'statemachine/launch.asl.json': 'statemachine/launch.asl.json',
  'davit.yaml': 'davit.yaml',
  'davit.schema.json': 'davit.schema.json',
  'local/enable-compile-cache.mjs': 'local/enable-compile-cache.mjs',
  'functions/describe-api/openapi.json': 'openapi.json',
  LICENSE: 'LICENSE',
  'README.md': 'README.md',
  'CHANGELOG.md': 'CHANGELOG.md',
};

/** The packages of which a module loads files by name: core/config/template-problems.ts. */
const loadedByName = ['@kubernetes/client-node'];

/** Compiles the sources. Only CDK apps need declarations. */
async function compile(): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const options = ['-p', 'tsconfig.package.json', '--pretty', 'false'];
  await outputOf(join(rootFolder, 'node_modules/.bin/tsc'), options, { cwd: rootFolder });
  const declarations = globSync('{cli,local,sandbox}/**/*.d.*ts', { cwd: target });
  for (const path of declarations) rmSync(join(target, path));
  for (const path of emitted()) writeFileSync(path, rewriteExtensions(readFileSync(path, 'utf8')));
}

function emitted(): string[] {
  return globSync('**/*.{js,mjs,ts,mts}', { cwd: target }).map((path) => join(target, path));
}

/** Bundles every function. The config of a bundle is the user's, written beside it at each synthesis. */
async function bundle(): Promise<void> {
  const config = await readConfig(join(rootFolder, 'davit.yaml'));
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'davit-package-'));
  const { path: folder } = temporary;
  const bundles: PrebuiltBundles = {};
  bundleFunctions(functionNames, config, folder);
  for (const functionName of functionNames) {
    const files = readdirSync(join(folder, functionName)).filter((name) => name !== bundledConfigFile);
    const texts = files.map((name) => [name, readFileSync(join(folder, functionName, name), 'utf8')] as const);
    bundles[functionName] = Object.fromEntries(texts);
  }
  writeFileSync(join(target, prebuiltFile), packBundles(bundles));
}

/** Bundles the console's page, and writes it where the command looks for it. */
async function copyPage(): Promise<void> {
  const folder = join(target, 'cli', 'console', 'page');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(await bundlePage())) writeFileSync(join(folder, name), text);
}

/**
 * Bundles what the command line runs, and removes the modules that nothing imports any more.
 *
 * @returns the folders of the packages that are in the bundles, and the packages that modules still import
 */
async function bundleCommands(): Promise<{ bundled: string[]; imported: ReadonlySet<string> }> {
  const bundled = [...(await bundleTemplate(target)), ...(await bundlePrograms(target))];
  const { modules, packages } = importedBy(target, entryPoints);
  for (const path of globSync('**/*.js', { cwd: target })) if (!modules.has(path)) rmSync(join(target, path));
  for (const folder of bundled) copyLicences(folder, join(target, 'licenses'));
  return { bundled, imported: packages };
}

async function pack(imported: ReadonlySet<string>, repository: string | undefined): Promise<number> {
  for (const [from, to] of Object.entries(copied)) cpSync(join(rootFolder, from), join(target, to));
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify(makePackageJson(new Set([...imported, ...loadedByName]), repository), undefined, 2)}\n`,
  );
  const output = await outputOf('npm', ['pack', '--silent', '--pack-destination', '..'], { cwd: target });
  const file = join(rootFolder, 'dist', /^\S+\.tgz$/m.exec(output)?.[0] ?? '');
  const { size } = statSync(file);
  process.stdout.write(`${file}: ${(size / 1e6).toFixed(1)} MB\n`);
  return size;
}

/** Resolves the package's dependencies as an install would, without installing them. */
async function writeSbom(bundled: readonly string[]): Promise<void> {
  const npm = (...args: string[]) => outputOf('npm', args, { cwd: target });
  await npm('install', '--package-lock-only', '--ignore-scripts');
  const sbom = await npm('sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx');
  rmSync(join(target, 'package-lock.json'));
  const text = sbom.slice(sbom.indexOf('{'), sbom.lastIndexOf('}') + 1);
  writeFileSync(join(rootFolder, 'dist', 'davit.cdx.json'), withBundled(text, bundled));
}

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { sbom: flag, repository: { type: 'string' }, help: flag } });
if (values.help) {
  process.stdout.write(usage);
} else {
  await compile();
  await bundle();
  const { bundled, imported } = await bundleCommands();
  await copyPage();
  await completeChart();
  if ((await pack(imported, values.repository)) > mostBytes) {
    process.stderr.write(`expected at most ${mostBytes} bytes\n`);
    process.exitCode = 1;
  }
  if (values.sbom) await writeSbom(bundled);
}
