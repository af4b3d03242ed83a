import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { root } from '../../cluster/run.ts';
import { until } from '../../cluster/until.ts';
import type { BuiltHudson } from './build-hudson.ts';
import { type JenkinsProxy, startJenkinsProxy } from './jenkins-proxy.ts';

/** A Hudson that belongs to the test, behind a proxy that gives it Jenkins' calls. */
export interface Hudson extends AsyncDisposable {
  /** The proxy's URL, which clients and agents use, without a trailing slash. */
  url: string;
  /** The only user, whom the proxy authenticates. */
  user: { name: string; apiToken: string };
  /**
   * Makes a freestyle project, and queues it without a quiet period.
   *
   * @returns the id of its item in the queue
   * @throws Error with Hudson's answer
   */
  enqueueFreestyle(job: HudsonJob): Promise<number>;
  /** The last build of a project; undefined before its first one. */
  lastBuildOf(job: string): Promise<{ result: string | null; builtOn: string; number: number } | undefined>;
  /** Starts Hudson's own agent for a node. It does not connect again once it has lost the connection. */
  startAgent(node: string): Promise<HudsonAgent>;
  /** Stops the server in order, so that it saves its queue, and starts it at the same URL with its data. */
  restart(): Promise<void>;
}

/** A freestyle job. */
export interface HudsonJob {
  name: string;
  /** A label expression. */
  label: string;
  /** Run by a shell on the node. */
  script: string;
}

/** A running `slave.jar`. */
export interface HudsonAgent {
  readonly process: ChildProcess;
  /** Kills its process with SIGKILL. */
  kill(): Promise<void>;
}

const startMs = 120_000;
/** In the server's own network namespace, any port is free. */
const httpPort = 8080;
const agentPort = 50_000;
// Hudson 3.3.2 is older than the module system of Java.
const opened = {
  'java.base':
    'java.lang java.lang.ref java.lang.reflect java.util java.util.concurrent java.util.concurrent.atomic java.text ' +
    'java.io java.net java.nio sun.nio.ch',
  'java.desktop': 'java.awt java.awt.font javax.swing',
};
const javaOptions = [
  '-Xmx1g',
  '-Djava.awt.headless=true',
  '-Dhudson.DNSMultiCast.disabled=true',
  ...Object.entries(opened).flatMap(([module, packages]) =>
    packages.split(' ').map((name) => `--add-opens=${module}/${name}=ALL-UNNAMED`),
  ),
  '--add-exports=java.xml/com.sun.org.apache.xalan.internal.xsltc.trax=ALL-UNNAMED',
];

/**
 * Starts a Hudson with an empty home. Its agent port binds every address, so it runs in a network namespace of its own,
 * which two Unix sockets connect with the outside.
 *
 * @throws Error with Hudson's output
 */
export async function startHudson({ classes, war, plugin }: BuiltHudson): Promise<Hudson> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-hudson-'));
  const home = join(directory, 'home');
  const sockets = { http: join(directory, 'http.sock'), agents: join(directory, 'agents.sock') };
  await mkdir(join(home, 'plugins'), { recursive: true });
  await cp(plugin, join(home, 'plugins', 'jenkins-calls.hpi'));
  for (const [name, content] of Object.entries(configuration)) await writeFile(join(home, name), content);
  const proxy = await startJenkinsProxy(sockets);
  let running: ChildProcess | undefined;

  async function start(): Promise<void> {
    await Promise.all([rm(sockets.http, { force: true }), rm(sockets.agents, { force: true })]);
    const java = ['java', ...javaOptions, '-cp', `${classes}:${war}`, 'HudsonLauncher'];
    const server = [...java, '--httpListenAddress=127.0.0.1', `--httpPort=${httpPort}`, '--skipInitSetup'];
    const relay = [join(root, 'test/ci/hudson/namespace-relay.ts'), `${sockets.http}=${httpPort}`];
    // A background process of a shell has no standard input, unless it is given another descriptor.
    const script = 'ip link set lo up; exec 3<&0; "$RELAY_NODE" $RELAY <&3 & exec "$@"';
    const child = spawn('unshare', [...namespaceOptions(), 'sh', '-c', script, 'sh', ...server], {
      cwd: directory,
      env: {
        ...process.env,
        HUDSON_HOME: home,
        RELAY_NODE: process.execPath,
        RELAY: `${relay.join(' ')} ${sockets.agents}=${agentPort}`,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group of its own: the relay ends all of it when the test is gone.
      detached: true,
    });
    running = child;
    const output = lastOutputOf(child);
    await until('Hudson answers', startMs, async () => {
      if (child.exitCode !== null) throw new Error(`Hudson ended with exit code ${child.exitCode}\n${output()}`);
      return (await askHudson(sockets.http, 'GET', '/plugin/jenkins-calls/details')).status === 200;
    });
  }

  async function stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (running?.pid === undefined) return;
    const exited = once(running, 'exit');
    // The server has the process that `unshare` had; its end is the end of the relay's standard input.
    process.kill(signal === 'SIGKILL' ? -running.pid : running.pid, signal);
    await exited;
    running.stdin?.end();
    running = undefined;
  }

  await start();
  return {
    url: proxy.url,
    user: proxy.user,
    enqueueFreestyle: async (job) => {
      const created = await askHudson(sockets.http, 'POST', `/createItem?name=${job.name}`, projectXml(job));
      if (created.status !== 200) throw new Error(`the project ${job.name}: ${created.status} ${created.text}`);
      const built = await askHudson(sockets.http, 'POST', `/plugin/jenkins-calls/build?job=${job.name}`);
      if (built.status !== 200) throw new Error(`the job ${job.name}: ${built.status} ${built.text}`);
      return Number(built.text);
    },
    lastBuildOf: async (job) => {
      const { status, text } = await askHudson(sockets.http, 'GET', `/job/${job}/lastBuild/api/json`);
      return status === 404 ? undefined : JSON.parse(text);
    },
    startAgent: (node) => startAgent(proxy, directory, node),
    restart: async () => {
      await stop('SIGTERM');
      proxy.beginSession();
      await start();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await proxy.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Only root makes a namespace without a user namespace. */
function namespaceOptions(): string[] {
  return process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net'];
}

/** Runs the server's own `slave.jar`. @see https://wiki.eclipse.org/Hudson-ci/Distributed_builds */
async function startAgent({ url }: JenkinsProxy, directory: string, node: string): Promise<HudsonAgent> {
  const jar = join(directory, 'slave.jar');
  const served = await fetch(`${url}/jnlpJars/slave.jar`);
  await writeFile(jar, new Uint8Array(await served.arrayBuffer()));
  const jnlp = `${url}/computer/${encodeURIComponent(node)}/slave-agent.jnlp`;
  const args = ['-Xmx128m', '-jar', jar, '-jnlpUrl', jnlp];
  const child = spawn('java', args, { cwd: directory, stdio: 'ignore' });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { process: child, kill };
}

async function askHudson(
  socketPath: string,
  method: string,
  path: string,
  xml?: string,
): Promise<{ status: number; text: string }> {
  const asked = request({ socketPath, method, path, headers: { 'content-type': 'application/xml' } });
  asked.end(xml);
  const [answered] = await once(asked, 'response');
  return { status: answered.statusCode, text: (await buffer(answered)).toString() };
}

function lastOutputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8000);
    });
  }
  return () => output;
}

/** The controller runs no build, as Jenkins advises, and its agent port is known. */
const configuration = {
  'config.xml': `<?xml version='1.0' encoding='UTF-8'?>
<hudson><version>3.3.2</version><numExecutors>0</numExecutors><mode>EXCLUSIVE</mode><quietPeriod>0</quietPeriod></hudson>`,
  'hudson-security.xml': `<?xml version='1.0' encoding='UTF-8'?>
<hudsonSecurityManager><useSecurity>false</useSecurity><slaveAgentPort>${agentPort}</slaveAgentPort></hudsonSecurityManager>`,
};

function projectXml({ label, script }: HudsonJob): string {
  return `<?xml version='1.0' encoding='UTF-8'?>
<project><scm class="hudson.scm.NullSCM"/><assignedNode>${inXml(label)}</assignedNode><canRoam>false</canRoam>
<builders><hudson.tasks.Shell><command>${inXml(script)}</command></hudson.tasks.Shell></builders></project>`;
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
