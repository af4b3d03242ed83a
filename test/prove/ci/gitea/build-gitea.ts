import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../../cluster/is-there.ts';
import { root, run } from '../../cluster/run.ts';

/** A built Gitea, and its data files. */
export interface BuiltGitea {
  program: string;
  /** Gitea's folders `options`, `templates` and `public`. */
  staticFiles: string;
}

const sources = join(root, 'test/prove/ci/gitea');
const sourceFiles = ['go.mod', 'go.sum', 'tools.go'];
const giteaModule = 'code.gitea.io/gitea';
const tags = 'sqlite sqlite_unlock_notify';
/** Builds are cached under the hash of their sources, beside the control plane's. */
const builtDirectory = join(root, '.davit-cluster');

/**
 * Builds Gitea from its Go module. The first build takes about 8 minutes on two processors; later calls use the cache.
 *
 * @throws Error with the compiler's output
 */
export async function buildGitea(onProgress: (text: string) => void): Promise<BuiltGitea> {
  const directory = join(builtDirectory, `gitea-${await hashOfSources()}`);
  const built = { program: join(directory, 'gitea'), staticFiles: join(directory, 'static') };
  if (await isThere(directory)) return built;
  onProgress('builds Gitea from its sources: about 8 minutes of two processors, once');
  const partial = `${directory}.${process.pid}`;
  await mkdir(join(partial, 'static'), { recursive: true });
  await go(['build', '-C', sources, '-tags', tags, '-ldflags', '-s -w', '-o', join(partial, 'gitea'), giteaModule]);
  const moduleDirectory = (await go(['list', '-C', sources, '-m', '-f', '{{.Dir}}', giteaModule])).trim();
  for (const folder of ['options', 'templates', 'public']) {
    await cp(join(moduleDirectory, folder), join(partial, 'static', folder), { recursive: true });
  }
  await run('chmod', ['-R', 'u+w,a+rX', partial]);
  await rename(partial, directory);
  return built;
}

/** Uses cgo: Gitea's SQLite is C. */
function go(args: readonly string[]): Promise<string> {
  return run('go', args, { GOFLAGS: '-buildvcs=false -mod=mod', CGO_ENABLED: '1' });
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(tags);
  for (const name of sourceFiles) hash.update(await readFile(join(sources, name)));
  return hash.digest('hex').slice(0, 16);
}
