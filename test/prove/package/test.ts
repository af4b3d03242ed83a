/**
 * Installs the package to be published in an empty folder, and uses it as its users do: `npm run prove -- package`. Downloads
 * its dependencies from the registry.
 */
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { functionNames } from '../../../cdk/function-permissions.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { outputOf, runProcess } from '../../../scripts/run-process.ts';
import { useConsole } from './use-console.ts';

const usage = `npm run prove -- package

Makes the package and its SBOM with npm run package, and installs its archive in an empty folder. Then uses it as its users
do: davit demo works, davit init writes a valid davit.yaml, davit local sends metrics, davit console serves its page, and a
CDK app in TypeScript type-checks and synthesises. Downloads the package's dependencies from the registry. Exit code 1 if
something does not work.

  --help   this text
`;

function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  return outputOf(program, args, { cwd });
}

async function step(what: string, work: () => Promise<void>): Promise<void> {
  const startedMs = performance.now();
  await work();
  process.stdout.write(`✓ ${what} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)\n`);
}

function expectText(output: string, words: RegExp): void {
  if (!words.test(output)) throw new Error(`expected ${words} in:\n${output}`);
}

const davitYaml = 'davit.yaml';

/** Ten lines, as a user writes them. */
const app = `import { App } from 'aws-cdk-lib';
import { Davit, DavitStack, readConfig } from '@davit-ci/davit';

const app = new App({ outdir: 'cdk.out' });
const config = await readConfig('${davitYaml}');
const stack = new DavitStack(app, 'Davit', { config, dashboard: false });
const davit: Davit = stack.davit;
davit.launchesTable.tableArn;
app.synth();
`;

/** A mistake that the type checker must find in that app. */
const wrongApp = app.replace('dashboard: false', "dashboard: 'no'");

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: [],
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  },
};

const Template = z.looseObject({ Resources: z.record(z.string(), z.looseObject({ Type: z.string() })) });

const Component = z.looseObject({ name: z.string(), version: z.string(), purl: z.string() });
const Sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
});
const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
});

async function checkSbom(): Promise<void> {
  const readJson = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(join(rootFolder, 'dist', path), 'utf8'));
  const { metadata, components } = Sbom.parse(await readJson('davit.cdx.json'));
  const { name, version, dependencies } = Manifest.parse(await readJson('package/package.json'));
  const listed = new Set([metadata.component, ...components].map(({ purl }) => decodeURIComponent(purl)));
  const { 'aws-cdk-lib': cdk } = packageJson.devDependencies;
  const { commander } = packageJson.dependencies;
  const inBundles = { 'aws-cdk-lib': cdk, commander };
  const wanted = Object.entries({ ...dependencies, [name]: version, ...inBundles }).map(
    ([one, at]) => `pkg:npm/${one}@${at}`,
  );
  const missing = wanted.filter((purl) => !listed.has(purl));
  if (missing.length > 0) throw new Error(`dist/davit.cdx.json lacks ${missing.join(', ')}`);
}

async function useCommand(folder: string, archive: string): Promise<void> {
  const davit = join(folder, 'node_modules', '.bin', 'davit');
  await step('npm install of the archive in an empty folder, and davit demo', async () => {
    await run(folder, 'npm', 'install', '--no-audit', '--no-fund', archive);
    expectText(await run(folder, davit, 'demo'), /^ +left +nothing$/m);
  });
  await step('davit init, and help', async () => {
    await run(folder, davit, 'init', '--ci', 'standard', '--sandbox', '--config', davitYaml);
    expectText(
      await run(folder, davit, '--version'),
      new RegExp(`^${packageJson.version.replaceAll('.', '\\.')}$`, 'm'),
    );
    expectText(await run(folder, davit, 'rbac', '--config', davitYaml), /kind: RoleBinding/);
  });
  await step('davit console shows a davit local that sends metrics', () =>
    useConsole(folder, join(rootFolder, 'dist', 'package', 'cli', 'console', 'page')),
  );
}

async function useConstruct(folder: string): Promise<void> {
  const { 'aws-cdk-lib': cdk, constructs } = packageJson.devDependencies;
  await run(folder, 'npm', 'install', '--no-audit', '--no-fund', `aws-cdk-lib@${cdk}`, `constructs@${constructs}`);
  const tsc = join(rootFolder, 'node_modules', '.bin', 'tsc');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...tsconfig, files: ['app.ts'] }));
  await step('a CDK app of ten lines type-checks, and a mistake in it does not', async () => {
    await writeFile(join(folder, 'app.ts'), wrongApp);
    const { exitCode, output } = await runProcess(tsc, ['-p', '.'], { cwd: folder });
    if (exitCode === 0) throw new Error('a dashboard that is text type-checks');
    expectText(output, /app\.ts\(6,/);
    await writeFile(join(folder, 'app.ts'), app);
    await run(folder, tsc, '-p', '.');
  });
  await step('it synthesises every function, without esbuild', async () => {
    await run(folder, process.execPath, 'app.ts');
    const template = Template.parse(JSON.parse(await readFile(join(folder, 'cdk.out', 'Davit.template.json'), 'utf8')));
    const functions = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
    if (functions.length < functionNames.length) throw new Error(`expected ${functionNames.length} functions`);
  });
}

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) {
  process.stdout.write(usage);
} else {
  try {
    await using empty = await mkdtempDisposable(join(tmpdir(), 'davit-package-'));
    const folder = empty.path;
    let archive = '';
    await step('the package is made', async () => {
      const output = await run(rootFolder, process.execPath, 'scripts/package.ts', '--sbom');
      archive = /^(\S+\.tgz):/m.exec(output)?.[1] ?? '';
    });
    await step('its SBOM names the package and each package that it has or needs', checkSbom);
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
    await useCommand(folder, archive);
    await useConstruct(folder);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
