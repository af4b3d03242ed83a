import { isBuiltin } from 'node:module';
import packageJson from '../../package.json' with { type: 'json' };

/** The package's name. `davit` itself belongs to another author. */
export const packageName = '@davit-ci/davit';

/** The packages that a CDK app already has; the command line needs neither. */
const peers = ['aws-cdk-lib', 'constructs'] as const;

/**
 * Makes the package's package.json. Its dependencies are the packages that its modules import, at the versions that this
 * repository has locked and tested.
 *
 * @param repository the URL of the sources @default left out
 * @throws Error for a package that this repository does not list
 */
export function makePackageJson(imported: ReadonlySet<string>, repository?: string): object {
  const versions: Readonly<Record<string, string>> = { ...packageJson.devDependencies, ...packageJson.dependencies };
  const versionOf = (name: string) => {
    const version = versions[name];
    if (version === undefined) throw new Error(`package.json lists no ${name}, which the package imports`);
    return version;
  };
  // The example in the construct's own comment imports the package itself.
  const ownOrPeer: readonly string[] = [packageName, ...peers];
  const needed = [...imported].filter((name) => !isBuiltin(name) && !ownOrPeer.includes(name)).toSorted();
  const { version, description, license, engines } = packageJson;
  return {
    name: packageName,
    version,
    description,
    license,
    ...(repository === undefined ? {} : { repository: { type: 'git', url: `git+${repository}.git` } }),
    type: 'module',
    engines,
    bin: { davit: 'cli/davit.js' },
    exports: {
      '.': { types: './cdk/index.d.ts', default: './cdk/index.js' },
      './openapi.json': './openapi.json',
      './davit.schema.json': './davit.schema.json',
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(needed.map((name) => [name, versionOf(name)])),
    peerDependencies: Object.fromEntries(peers.map((name) => [name, `^${versionOf(name)}`])),
    peerDependenciesMeta: Object.fromEntries(peers.map((name) => [name, { optional: true }])),
    publishConfig: { access: 'public', provenance: true },
  };
}
