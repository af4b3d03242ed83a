/** Why a container does not run yet, or not again. */
export interface WaitingState {
  reason: string;
  message?: string;
}

/** How a container ended. */
export interface TerminatedState {
  exitCode: number;
  /** The number of the signal that ended it. */
  signal?: number;
  reason: string;
  message?: string;
  startedAt: string;
  finishedAt: string;
  containerID: string;
}

/** Exactly one of the three, as in a ContainerStatus. */
export type ContainerState =
  | { waiting: WaitingState }
  | { running: { startedAt: string } }
  | { terminated: TerminatedState };

/** A container's status as the API has it. */
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

/** How the container ended, if it has and is not waiting to be started again. */
export function terminatedState(status: ContainerStatus | undefined): TerminatedState | undefined {
  return status !== undefined && 'terminated' in status.state ? status.state.terminated : undefined;
}

/** Whether the container runs now. */
export function isRunning(status: ContainerStatus | undefined): boolean {
  return status !== undefined && 'running' in status.state;
}

/** How a container's process ended, in the words of its runtime. */
export type ContainerEnd = Pick<TerminatedState, 'exitCode' | 'signal' | 'reason' | 'message'>;

/**
 * Words a container's end as containerd does: by its exit code, or by the signal as a shell counts it.
 *
 * @param exit what the process left, and whether it was killed because its memory was used up
 */
export function endOf(exit: { code: number | null; signalNumber?: number; isOutOfMemory: boolean }): ContainerEnd {
  const exitCode = exit.code ?? 128 + (exit.signalNumber ?? 0);
  const reason = exit.isOutOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error';
  return { exitCode, ...(exit.signalNumber === undefined ? {} : { signal: exit.signalNumber }), reason };
}
