import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../cluster/run.ts';
import { until } from '../../cluster/until.ts';
import type { BuiltGitea } from './build-gitea.ts';

/** A running Gitea of the test's own. */
export interface Gitea extends AsyncDisposable {
  /** Without a slash at its end. */
  url: string;
  /** An administrator's access token, with all scopes. */
  adminToken: string;
  /** Stops the process, and leaves its data. */
  stop(): Promise<void>;
  /** Starts it again, at the same URL, with the same data. */
  start(): Promise<void>;
}

/** Gitea refuses to run as root: as root, it runs as nobody. */
const nobody = 65_534;
const startMs = 60_000;

/**
 * Starts a Gitea with a new database in a temporary directory.
 *
 * @throws Error with Gitea's own words
 */
export async function startGitea({ program, staticFiles }: BuiltGitea): Promise<Gitea> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-gitea-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(directory, 'app.ini');
  await mkdir(join(directory, 'run', 'data'), { recursive: true });
  const secret = async (name: string) => (await run(program, ['generate', 'secret', name])).trim();
  const values: Record<string, string> = {
    DIRECTORY: directory,
    PORT: String(port),
    STATIC: staticFiles,
    SECRET_KEY: await secret('SECRET_KEY'),
    INTERNAL_TOKEN: await secret('INTERNAL_TOKEN'),
    JWT_SECRET: await secret('JWT_SECRET'),
  };
  const template = await readFile(fileURLToPath(new URL('app.ini', import.meta.url)), 'utf8');
  await writeFile(
    config,
    template.replaceAll(/@([A-Z_]+)@/g, (_, name: string) => values[name] ?? ''),
  );
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    await run('chown', ['-R', `${nobody}:${nobody}`, directory]);
    await chmod(directory, 0o755);
  }
  const [command, ...prefix] = asRoot
    ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', program]
    : [program];
  const environment = { ...process.env, HOME: directory, USER: 'nobody' };
  const gitea = (args: readonly string[]) =>
    run(command ?? program, [...prefix, '--config', config, ...args], environment);

  let running: { stop: () => Promise<void> } | undefined;
  async function start(): Promise<void> {
    const child = spawn(command ?? program, [...prefix, '--config', config, 'web'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-8000);
      });
    }
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
    });
    running = {
      stop: async () => {
        child.kill('SIGKILL');
        await exited;
      },
    };
    await until(`Gitea answers at ${url}`, startMs, async () => {
      if (child.exitCode !== null) throw new Error(`Gitea ended with exit code ${child.exitCode}\n${output}`);
      return (await fetch(`${url}/api/healthz`)).ok;
    });
  }
  async function stop(): Promise<void> {
    await running?.stop();
    running = undefined;
  }

  await gitea(['migrate']);
  const password = randomBytes(16).toString('hex');
  const user = ['--username', 'boss', '--password', password, '--email', 'boss@example.com'];
  await gitea(['admin', 'user', 'create', '--admin', ...user, '--must-change-password=false']);
  const adminToken = await gitea([
    'admin',
    'user',
    'generate-access-token',
    '--username',
    'boss',
    '--scopes',
    'all',
    '--raw',
  ]);
  await start();
  return {
    url,
    adminToken: adminToken.trim().split('\n').at(-1) ?? '',
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
