/** Why a container waits to start or to restart. */
export interface WaitingState {
  reason: string;
  message?: string;
}

/** How a container ended. */
export interface TerminatedState {
  exitCode: number;
  /** The number of the signal that killed the container. */
  signal?: number;
  reason: string;
  message?: string;
  startedAt: string;
  finishedAt: string;
  containerID: string;
}

/** A container's state: exactly one of the three, as in a ContainerStatus. */
export type ContainerState =
  | { waiting: WaitingState }
  | { running: { startedAt: string } }
  | { terminated: TerminatedState };

/** A container's status, as in the API. */
export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState | Record<string, never>;
}

/** Returns how the container ended, unless it waits for a restart or still runs. */
export function terminatedState(status: ContainerStatus | undefined): TerminatedState | undefined {
  return status !== undefined && 'terminated' in status.state ? status.state.terminated : undefined;
}

/** Whether the container runs now. */
export function isRunning(status: ContainerStatus | undefined): boolean {
  return status !== undefined && 'running' in status.state;
}

/** How a container's process ended, in its runtime's words. */
export type ContainerEnd = Pick<TerminatedState, 'exitCode' | 'signal' | 'reason' | 'message'>;

/**
 * Describes a container's end as containerd does: by its exit code, or 128 plus the signal's number as in a shell.
 *
 * @param exit the exit code or signal, and whether the process was killed because it exceeded its memory limit
 */
export function endOf(exit: { code: number | null; signalNumber?: number; isOutOfMemory: boolean }): ContainerEnd {
  const exitCode = exit.code ?? 128 + (exit.signalNumber ?? 0);
  const reason = exit.isOutOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error';
  return { exitCode, ...(exit.signalNumber === undefined ? {} : { signal: exit.signalNumber }), reason };
}
