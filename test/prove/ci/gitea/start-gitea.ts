import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../support/free-port.ts';
import { run } from '../../cluster/run.ts';
import { until } from '../../cluster/until.ts';
import { lastOutputOf } from '../last-output.ts';
import { buildGitea } from './build-gitea.ts';

/** A Gitea that belongs to the test. */
export interface Gitea extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string;
  /** An administrator's access token, with all scopes. */
  adminToken: string;
  /** Stops the process, and keeps its data. */
  stop(): Promise<void>;
  /** Starts it again, at the same URL, with the same data. */
  start(): Promise<void>;
  /** Stops it gracefully, as an upgrade does, and starts it again. */
  restart(): Promise<void>;
}

/** The differences from an ordinary Gitea on the loopback interface. */
export interface GiteaOptions {
  /** Its public URL, without a trailing slash. @default its listening address */
  rootUrl?: string;
  /** The address to listen on. @default the loopback address */
  host?: string;
  /**
   * The type of its queues of pushes and webhooks. `level` is Gitea's default: it persists, and polls an empty queue
   * with pauses that grow to 2 s. `channel` is in memory, without pauses.
   *
   * @default 'level'
   */
  queueType?: 'level' | 'channel';
}

/** Gitea refuses to run as root: root runs it as the user nobody. */
const nobody = 65_534;
const startMs = 60_000;

/**
 * Builds Gitea, and starts it with a new database in a temporary directory.
 *
 * @throws Error with Gitea's output, or the compiler's
 */
export async function startGitea(options: GiteaOptions = {}): Promise<Gitea> {
  const { program, staticFiles } = await buildGitea();
  const directory = await mkdtemp(join(tmpdir(), 'davit-gitea-'));
  const { host = '127.0.0.1', queueType = 'level' } = options;
  const port = await freePort(host);
  const url = `http://${host}:${port}`;
  const config = join(directory, 'app.ini');
  await mkdir(join(directory, 'run', 'data'), { recursive: true });
  const secret = async (name: string) => (await run(program, ['generate', 'secret', name])).trim();
  const values: Record<string, string> = {
    DIRECTORY: directory,
    HOST: host,
    PORT: String(port),
    ROOT_URL: options.rootUrl ?? url,
    STATIC: staticFiles,
    QUEUE_TYPE: queueType,
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
  const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const [command, ...prefix] = [...(asRoot ? asNobody : []), program, '--config', config];
  const env = { ...process.env, HOME: directory, USER: 'nobody' };
  const gitea = (...args: string[]) => run(command, [...prefix, ...args], env);

  let running: ChildProcess | undefined;
  async function start(): Promise<void> {
    const child = spawn(command, [...prefix, 'web'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    running = child;
    const output = lastOutputOf(child);
    await until(`Gitea answers at ${url}`, startMs, async () => {
      if (child.exitCode !== null) throw new Error(`Gitea ended with exit code ${child.exitCode}\n${output()}`);
      return (await fetch(`${url}/api/healthz`)).ok;
    });
  }
  async function stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill(signal);
    await exited;
  }

  await gitea('migrate');
  const password = randomBytes(16).toString('hex');
  const user = ['--username', 'boss', '--password', password, '--email', 'boss@example.com'];
  await gitea('admin', 'user', 'create', '--admin', ...user, '--must-change-password=false');
  const rights = ['--username', 'boss', '--scopes', 'all', '--raw'];
  const adminToken = await gitea('admin', 'user', 'generate-access-token', ...rights);
  await start();
  return {
    url,
    adminToken: adminToken.trim().split('\n').at(-1) ?? '',
    start,
    stop: () => stop(),
    restart: async () => {
      await stop('SIGTERM');
      await start();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
