import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isThere } from '../is-there.ts';
import { root, run } from '../run.ts';

/** The programs that Debian does not package. */
export interface Programs {
  /** etcd and all of Kubernetes: the component is the first argument. */
  kubernetes: string;
  kwok: string;
}

const sources = join(root, 'test/prove/cluster/kubernetes');
const kubectlSources = join(root, 'test/prove/cluster/kubectl');
const actRunnerSources = join(root, 'test/prove/ci/gitea/act-runner');
/** The files of each Go module. */
const sourceFiles = ['main.go', 'go.mod', 'go.sum'];
const kubernetesVersion = 'v1.34.4';
const kwokVersion = 'v0.7.0';
const helmVersion = 'v3.18.4';
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
    kubernetes: join(builtDirectory, `kubernetes-${await hashOf(sources)}`),
    kwok: join(builtDirectory, `kwok-${kwokVersion}`),
  };
}

/**
 * Builds the missing programs. The first build takes minutes, because Go compiles all of Kubernetes; later calls use
 * the cache.
 *
 * @throws Error with the compiler's output
 */
export async function buildPrograms(onProgress: (text: string) => void): Promise<Programs> {
  const { kubernetes, kwok } = await builtPrograms();
  await mkdir(builtDirectory, { recursive: true });
  if (!(await isThere(kubernetes))) {
    onProgress(`builds Kubernetes ${kubernetesVersion} from its sources: about 8 minutes of two processors, once`);
    const partial = `${kubernetes}.${process.pid}`;
    await go(['build', '-C', sources, '-trimpath', '-ldflags', linkerFlags, '-o', partial, '.']);
    await rename(partial, kubernetes);
  }
  if (!(await isThere(kwok))) {
    onProgress(`builds kwok ${kwokVersion}: about 3 minutes, once`);
    await install(`sigs.k8s.io/kwok/cmd/kwok@${kwokVersion}`, kwok);
  }
  return { kubernetes, kwok };
}

/** Builds helm unless it is there. @returns its path @throws Error with the compiler's output */
export async function buildHelm(onProgress: (text: string) => void): Promise<string> {
  const helm = join(builtDirectory, `helm-${helmVersion}`);
  if (!(await isThere(helm))) {
    onProgress(`builds helm ${helmVersion}: about 2 minutes, once`);
    await install(`helm.sh/helm/v3/cmd/helm@${helmVersion}`, helm);
  }
  return helm;
}

/** Builds kubectl unless it is there. @returns its path @throws Error with the compiler's output */
export async function buildKubectl(onProgress: (text: string) => void): Promise<string> {
  const kubectl = join(builtDirectory, `kubectl-${await hashOf(kubectlSources)}`);
  if (!(await isThere(kubectl))) {
    onProgress(`builds kubectl ${kubernetesVersion}: about 1 minute, once`);
    const partial = `${kubectl}.${process.pid}`;
    await go(['build', '-C', kubectlSources, '-trimpath', '-ldflags', linkerFlags, '-o', partial, '.']);
    await rename(partial, kubectl);
  }
  return kubectl;
}

/** Builds the stand-in for Gitea's act_runner unless it is there. @returns its path, whose last part is `act_runner` */
export async function buildActRunner(): Promise<string> {
  const folder = join(builtDirectory, `act-runner-${await hashOf(actRunnerSources)}`);
  const program = join(folder, 'act_runner');
  if (!(await isThere(program))) {
    await mkdir(folder, { recursive: true });
    const partial = `${program}.${process.pid}`;
    await go(['build', '-C', actRunnerSources, '-trimpath', '-ldflags', '-s -w', '-o', partial, '.']);
    await rename(partial, program);
  }
  return program;
}

/** Installs a Go program of a module at a path. */
async function install(module: string, path: string): Promise<void> {
  const partial = `${path}.${process.pid}`;
  await go(['install', '-trimpath', '-ldflags', '-s -w', module], { GOBIN: partial });
  await rename(join(partial, basename(module).replace(/@.*/, '')), path);
  await rm(partial, { recursive: true });
}

/** Builds without cgo, as Kubernetes' release does. The program needs no C compiler, and runs wherever it is copied. */
function go(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  return run('go', args, { ...env, CGO_ENABLED: '0' });
}

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256').update(linkerFlags);
  for (const name of sourceFiles) hash.update(await readFile(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
