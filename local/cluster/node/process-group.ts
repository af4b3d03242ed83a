/**
 * Sends a signal to every process of a group.
 *
 * @param group the id of the process that leads it
 * @returns false when none is left
 */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if (isNoSuchProcess(error)) {
      return false;
    }
    throw error;
  }
}

/** Whether a group has a process left. */
export function hasProcesses(group: number): boolean {
  return signalGroup(group, 0);
}

function isNoSuchProcess(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ESRCH';
}
