import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../is-there.ts';
import { root, run } from '../run.ts';

/** The programs that Debian does not have. */
export interface Programs {
  /** etcd and all of Kubernetes: the component is the first argument. */
  kubernetes: string;
  kwok: string;
}

const sources = join(root, 'test', 'cluster', 'kubernetes');
const sourceFiles = ['main.go', 'go.mod', 'go.sum'];
const kubernetesVersion = 'v1.34.4';
const kwokVersion = 'v0.7.0';
/** What is built is kept here, each under what it was built from. */
const builtDirectory = join(root, '.davit-cluster');

/** As Kubernetes' own release does: without these it calls itself v0.0.0. */
const linkerFlags = [
  '-s -w',
  `-X k8s.io/component-base/version.gitVersion=${kubernetesVersion}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=34',
].join(' ');

/** Where the programs are, once they are built. */
export async function builtPrograms(): Promise<Programs> {
  return {
    kubernetes: join(builtDirectory, `kubernetes-${await hashOfSources()}`),
    kwok: join(builtDirectory, `kwok-${kwokVersion}`),
  };
}

/**
 * Builds what is not there yet: minutes the first time, as Go compiles all of Kubernetes, and nothing afterwards.
 *
 * @throws Error with the compiler's words
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
    const partial = `${kwok}.${process.pid}`;
    await go(['install', '-trimpath', '-ldflags', '-s -w', `sigs.k8s.io/kwok/cmd/kwok@${kwokVersion}`], {
      GOBIN: partial,
    });
    await rename(join(partial, 'kwok'), kwok);
    await rm(partial, { recursive: true });
  }
  return { kubernetes, kwok };
}

/** Without cgo: it is as Kubernetes is released, needs no C compiler, and runs wherever it is copied. */
function go(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  return run('go', args, { ...env, CGO_ENABLED: '0' });
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(linkerFlags);
  for (const name of sourceFiles) hash.update(await readFile(join(sources, name)));
  return hash.digest('hex').slice(0, 16);
}
