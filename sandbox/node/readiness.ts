import { connect } from 'node:net';
import { pause } from './pause.ts';
import { type Container, type Probe, portNumber } from './pod.ts';

/** The target of a probe, and the receiver of its results. */
export interface ProbeTarget {
  podIP: string;
  exec(command: readonly string[], timeoutMs: number): Promise<boolean>;
  onReady(isReady: boolean): void;
  onFailure(message: string): void;
  /** Aborts the probing. */
  signal: AbortSignal;
}

/**
 * Probes a container until its run ends, and reports each change of its readiness.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
 */
export async function watchReadiness(container: Container, probe: Probe, target: ProbeTarget): Promise<void> {
  let isReady = false;
  let streak = 0;
  await pause(probe.initialDelaySeconds * 1000, target.signal);
  while (!target.signal.aborted) {
    const failure = await attempt(container, probe, target);
    if (failure !== undefined && !target.signal.aborted) target.onFailure(failure);
    streak = (failure === undefined) === isReady ? 0 : streak + 1;
    if (streak >= (isReady ? probe.failureThreshold : probe.successThreshold) && !target.signal.aborted) {
      isReady = !isReady;
      streak = 0;
      target.onReady(isReady);
    }
    await pause(probe.periodSeconds * 1000, target.signal);
  }
}

/** @returns the failure in the kubelet's words, or undefined if the probe succeeds */
async function attempt(container: Container, probe: Probe, target: ProbeTarget): Promise<string | undefined> {
  const timeoutMs = probe.timeoutSeconds * 1000;
  if (probe.exec !== undefined) {
    return (await target.exec(probe.exec.command, timeoutMs)) ? undefined : 'command failed';
  }
  const action = probe.tcpSocket ?? probe.httpGet;
  const port = action === undefined ? undefined : portNumber(container.ports, action.port);
  const host = action?.host ?? target.podIP;
  if (port === undefined) return `couldn't find port: ${String(action?.port)}`;
  return probe.httpGet === undefined
    ? tcpFailure(host, port, timeoutMs)
    : httpFailure(`http://${host}:${port}${probe.httpGet.path}`, timeoutMs);
}

async function tcpFailure(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (failure?: string) => {
      socket.destroy();
      resolve(failure);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(`dial tcp ${host}:${port}: i/o timeout`));
    socket.once('error', ({ message }) => end(`dial tcp ${host}:${port}: ${message}`));
  });
}

async function httpFailure(url: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.status < 400 ? undefined : `HTTP probe failed with statuscode: ${response.status}`;
  } catch (error) {
    return `Get "${url}": ${error instanceof Error ? error.message : String(error)}`;
  }
}
