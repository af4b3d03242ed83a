import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce, builtDirectory, hashOf } from '../../cluster/programs/programs.ts';
import { root, run } from '../../cluster/run.ts';

/** A built Gitea, and its data files. */
export interface BuiltGitea {
  program: string;
  /** Gitea's folders `options`, `templates` and `public`. */
  staticFiles: string;
}

const sources = join(root, 'test/prove/ci/gitea');
const giteaModule = 'code.gitea.io/gitea';
const tags = 'sqlite sqlite_unlock_notify';

/**
 * Builds Gitea from its Go module. The first build takes about 8 minutes on two processors; later calls use the cache.
 *
 * @throws Error with the compiler's output
 */
export async function buildGitea(): Promise<BuiltGitea> {
  const what = 'Gitea from its sources: about 8 minutes of two processors, once';
  const hash = await hashOf(tags, sources, ['go.mod', 'go.sum', 'tools.go']);
  const directory = await buildOnce(join(builtDirectory, `gitea-${hash}`), buildAt, what);
  return { program: join(directory, 'gitea'), staticFiles: join(directory, 'static') };
}

async function buildAt(folder: string): Promise<void> {
  const staticFiles = join(folder, 'static');
  await mkdir(staticFiles, { recursive: true });
  await go(['build', '-C', sources, '-tags', tags, '-ldflags', '-s -w', '-o', join(folder, 'gitea'), giteaModule]);
  const moduleDirectory = (await go(['list', '-C', sources, '-m', '-f', '{{.Dir}}', giteaModule])).trim();
  for (const name of ['options', 'templates', 'public']) {
    await cp(join(moduleDirectory, name), join(staticFiles, name), { recursive: true });
  }
  await run('chmod', ['-R', 'u+w,a+rX', folder]);
}

/** Uses cgo: Gitea's SQLite is C. */
function go(args: readonly string[]): Promise<string> {
  return run('go', args, { GOFLAGS: '-buildvcs=false -mod=mod', CGO_ENABLED: '1' });
}
