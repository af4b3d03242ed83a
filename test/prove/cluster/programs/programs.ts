import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere } from '../is-there.ts';
import { root, run } from '../run.ts';
import { say } from '../say.ts';

/** The programs that Debian does not package. */
export interface Programs {
  /** etcd and all of Kubernetes: the component is the first argument. */
  kubernetes: string;
  kwok: string;
}

const sources = join(root, 'test/prove/cluster/kubernetes');
const actRunnerSources = join(root, 'test/prove/ci/gitea/act-runner');
const kubernetesVersion = 'v1.34.4';
const kwokVersion = 'v0.7.0';
const helmVersion = 'v3.18.4';
const buildkiteAgentModule = 'github.com/buildkite/agent/v3@v3.78.0';
/** The cache of builds, each under the hash of its sources. */
export const builtDirectory = join(root, '.davit-cluster');

/** Kubernetes' release build sets these too: without them its version is v0.0.0. */
const linkerFlags = [
  '-s -w',
  `-X k8s.io/component-base/version.gitVersion=${kubernetesVersion}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=34',
].join(' ');

/** The paths of the built programs. */
export async function builtPrograms(): Promise<Programs> {
  return {
    kubernetes: join(builtDirectory, `kubernetes-${await hashOfModule(sources)}`),
    kwok: join(builtDirectory, `kwok-${kwokVersion}`),
  };
}

/**
 * Builds the missing programs. The first build takes minutes, because Go compiles all of Kubernetes; later calls use
 * the cache.
 *
 * @throws Error with the compiler's output
 */
export async function buildPrograms(): Promise<Programs> {
  const { kubernetes, kwok } = await builtPrograms();
  const duration = 'about 8 minutes of two processors, once';
  await buildOnce(
    kubernetes,
    (partial) => buildModule(sources, partial),
    `Kubernetes ${kubernetesVersion} from its sources: ${duration}`,
  );
  await buildOnce(
    kwok,
    (partial) => install(`sigs.k8s.io/kwok/cmd/kwok@${kwokVersion}`, partial),
    `kwok ${kwokVersion}: about 3 minutes, once`,
  );
  return { kubernetes, kwok };
}

/** Builds helm unless it is there. @returns its path @throws Error with the compiler's output */
export async function buildHelm(): Promise<string> {
  const helm = join(builtDirectory, `helm-${helmVersion}`);
  return buildOnce(
    helm,
    (partial) => install(`helm.sh/helm/v3/cmd/helm@${helmVersion}`, partial),
    `helm ${helmVersion}: about 2 minutes, once`,
  );
}

/** Builds kubectl unless it is there. @returns its path @throws Error with the compiler's output */
export async function buildKubectl(): Promise<string> {
  const kubectl = join(builtDirectory, `kubectl-${await hashOfModule(sources, 'kubectl/main.go')}`);
  return buildOnce(
    kubectl,
    (partial) => buildModule(sources, partial, { program: './kubectl' }),
    `kubectl ${kubernetesVersion}: about 1 minute, once`,
  );
}

/** Builds the stand-in for Gitea's act_runner unless it is there. @returns its path, whose last part is `act_runner` */
export async function buildActRunner(): Promise<string> {
  const program = join(builtDirectory, `act-runner-${await hashOfModule(actRunnerSources)}`, 'act_runner');
  return buildOnce(program, (partial) => buildModule(actRunnerSources, partial, { flags: '-s -w' }));
}

/** Builds Buildkite's own agent unless it is there. @returns the folder of the program `buildkite-agent` */
export async function buildBuildkiteAgent(): Promise<string> {
  const folder = join(builtDirectory, `buildkite-agent-${await hashOf(buildkiteAgentModule)}`);
  const program = await buildOnce(
    join(folder, 'buildkite-agent'),
    (partial) => install(buildkiteAgentModule, partial),
    "Buildkite's agent from its sources: about 5 minutes of two processors, once",
  );
  return dirname(program);
}

/**
 * Makes a file or folder of the cache unless it is there.
 *
 * @param make makes it at a path beside its own: a build that is interrupted leaves nothing that looks complete
 * @param what it is, and how long it takes; says nothing without
 * @returns its path
 */
export async function buildOnce(
  path: string,
  make: (partial: string) => Promise<void>,
  what?: string,
): Promise<string> {
  if (await isThere(path)) return path;
  if (what !== undefined) say(`builds ${what}`);
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  await make(partial);
  await rename(partial, path);
  return path;
}

/** Builds without cgo, as Kubernetes' release does. The program needs no C compiler, and runs wherever it is copied. */
async function buildModule(
  folder: string,
  path: string,
  { program = '.', flags = linkerFlags }: { program?: string; flags?: string } = {},
): Promise<void> {
  await run('go', ['build', '-C', folder, '-trimpath', '-ldflags', flags, '-o', path, program], { CGO_ENABLED: '0' });
}

/** Installs a Go program at a path, without cgo. @param program its module and folder, with a version */
async function install(program: string, path: string): Promise<void> {
  const folder = `${path}.installed`;
  await run('go', ['install', '-trimpath', '-ldflags', '-s -w', program], { GOBIN: folder, CGO_ENABLED: '0' });
  const [built = ''] = await readdir(folder);
  await rename(join(folder, built), path);
  await rm(folder, { recursive: true });
}

function hashOfModule(folder: string, main = 'main.go'): Promise<string> {
  return hashOf(linkerFlags, folder, [main, 'go.mod', 'go.sum']);
}

/** Hashes what something is built from: a text, and files of a folder. */
export async function hashOf(text: string, folder = '', files: readonly string[] = []): Promise<string> {
  const hash = createHash('sha256').update(text);
  for (const name of files) hash.update(await readFile(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
