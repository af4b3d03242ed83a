import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../cluster/run.ts';
import { until } from '../../cluster/until.ts';
import { lastOutputOf } from '../last-output.ts';
import { askHudson } from './ask-hudson.ts';
import type { BuiltHudson } from './build-hudson.ts';
import { agentPort } from './configuration.ts';
import type { HudsonSockets } from './jenkins-proxy.ts';

/** The process of a Hudson. */
export interface HudsonProcess {
  /** Starts it, and waits until it answers. @throws Error with its output */
  start(): Promise<void>;
  /** Ends it, if it runs. After SIGTERM it saves its queue first. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

const startMs = 120_000;
/** In the server's own network namespace, any port is free. */
const httpPort = 8080;
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
// A background process of a shell has no standard input, unless it is given another descriptor.
const startScript = 'ip link set lo up; exec 3<&0; "$RELAY_NODE" $RELAY <&3 & exec "$@"';

/**
 * Prepares a Hudson with this home. Its agent port binds every address, so it runs in a network namespace of its own,
 * which the two Unix sockets connect with the outside.
 */
export function hudsonProcess({ classes, war }: BuiltHudson, home: string, sockets: HudsonSockets): HudsonProcess {
  const relay = [join(root, 'test/prove/ci/hudson/namespace-relay.ts')];
  relay.push(`${sockets.http}=${httpPort}`, `${sockets.agents}=${agentPort}`);
  const java = ['java', ...javaOptions, '-cp', `${classes}:${war}`, 'HudsonLauncher'];
  const server = [...java, '--httpListenAddress=127.0.0.1', `--httpPort=${httpPort}`, '--skipInitSetup'];
  const env = { ...process.env, HUDSON_HOME: home, RELAY_NODE: process.execPath, RELAY: relay.join(' ') };
  let running: ChildProcess | undefined;

  async function start(): Promise<void> {
    await Promise.all([rm(sockets.http, { force: true }), rm(sockets.agents, { force: true })]);
    const args = [...namespaceOptions(), 'sh', '-c', startScript, 'sh', ...server];
    // A process group of its own: the relay ends all of it when the test is gone.
    const child = spawn('unshare', args, { cwd: home, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    running = child;
    const output = lastOutputOf(child);
    await until('Hudson answers', startMs, async () => {
      if (child.exitCode !== null) throw new Error(`Hudson ended with exit code ${child.exitCode}\n${output()}`);
      return (await askHudson(sockets.http, '/plugin/jenkins-calls/details')).status === 200;
    });
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = running;
    running = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    // `unshare` and the shell have become the server.
    process.kill(child.pid, signal);
    await exited;
    child.stdin?.end();
  }

  return { start, stop };
}

/** Only root makes a network namespace without a user namespace. */
function namespaceOptions(): string[] {
  return process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net'];
}
