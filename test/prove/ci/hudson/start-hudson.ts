import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { root } from '../../cluster/run.ts';
import { askHudson } from './ask-hudson.ts';
import { buildHudson } from './build-hudson.ts';
import { configuration, type HudsonJob, projectXml } from './configuration.ts';
import { hudsonProcess } from './hudson-process.ts';
import { startJenkinsProxy } from './jenkins-proxy.ts';

/** A Hudson that belongs to the test, behind a proxy that gives it Jenkins' calls. */
export interface Hudson extends AsyncDisposable {
  /** The proxy's URL, which clients and agents use, without a trailing slash. */
  url: string;
  /** The only user, whom the proxy authenticates. */
  user: { name: string; apiToken: string };
  /** The file of Hudson's own agent, for `TEST_SLAVE_JAR` of `bin/jenkins-agent`. */
  slaveJar: string;
  /**
   * Makes a freestyle project, and queues it without a quiet period.
   *
   * @returns the id of its item in the queue
   * @throws Error with Hudson's answer
   */
  enqueueFreestyle(job: HudsonJob): Promise<number>;
  /** The last build of a project; undefined before its first one. */
  lastBuildOf(job: string): Promise<HudsonBuild | undefined>;
  /** Starts Hudson's own agent for a node. It connects again when it has lost the connection. */
  startAgent(node: string): Promise<HudsonAgent>;
  /** Stops the server in order, so that it saves its queue, and starts it at the same URL with its data. */
  restart(): Promise<void>;
}

const HudsonBuild = z.object({ number: z.int(), result: z.string().nullable(), builtOn: z.string() });
export type HudsonBuild = z.infer<typeof HudsonBuild>;

/** A running agent. */
export interface HudsonAgent {
  kill(): Promise<void>;
}

/** Builds Hudson, and starts it with an empty home. @throws Error with Hudson's output, or that of the build */
export async function startHudson(): Promise<Hudson> {
  const built = await buildHudson();
  const directory = await mkdtemp(join(tmpdir(), 'davit-hudson-'));
  const home = join(directory, 'home');
  await mkdir(join(home, 'plugins'), { recursive: true });
  await cp(built.plugin, join(home, 'plugins', 'jenkins-calls.hpi'));
  for (const [name, content] of Object.entries(configuration)) await writeFile(join(home, name), content);
  const sockets = { http: join(directory, 'http.sock'), agents: join(directory, 'agents.sock') };
  const server = hudsonProcess(built, home, sockets);
  const proxy = await startJenkinsProxy(sockets);
  const slaveJar = join(directory, 'slave.jar');

  async function end(): Promise<void> {
    await server.stop('SIGKILL');
    await proxy.stop();
    await rm(directory, { recursive: true, force: true });
  }

  async function post(path: string, xml = ''): Promise<string> {
    const headers = { 'content-type': 'application/xml' };
    const { status, body } = await askHudson(sockets.http, path, { method: 'POST', headers, body: Buffer.from(xml) });
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${body.toString()}`);
    return body.toString();
  }

  try {
    await server.start();
    await writeFile(slaveJar, (await askHudson(sockets.http, '/jnlpJars/slave.jar')).body);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    url: proxy.url,
    user: proxy.user,
    slaveJar,
    enqueueFreestyle: async (job) => {
      await post(`/createItem?name=${job.name}`, projectXml(job));
      return Number(await post(`/plugin/jenkins-calls/build?job=${job.name}`));
    },
    lastBuildOf: async (job) => {
      const { status, body } = await askHudson(sockets.http, `/job/${job}/lastBuild/api/json`);
      return status === 404 ? undefined : HudsonBuild.parse(JSON.parse(body.toString()));
    },
    startAgent: async (node) => {
      const own = { JENKINS_URL: proxy.url, JENKINS_AGENT_NAME: node, TEST_SLAVE_JAR: slaveJar };
      return startAgent({ ...process.env, ...own }, directory);
    },
    restart: async () => {
      await server.stop('SIGTERM');
      proxy.beginSession();
      await server.start();
    },
    [Symbol.asyncDispose]: end,
  };
}

/** @see bin/jenkins-agent */
function startAgent(env: NodeJS.ProcessEnv, cwd: string): HudsonAgent {
  const child = spawn(join(root, 'test/prove/ci/hudson/bin/jenkins-agent'), { cwd, env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
