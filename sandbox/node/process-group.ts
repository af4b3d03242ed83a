import { errorCode } from './error-code.ts';

/**
 * Sends a signal to every process of a group.
 *
 * @param group the id of the group's leader
 * @returns false if the group has no process left
 */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Whether a group has a process left. */
export function hasProcesses(group: number): boolean {
  return signalGroup(group, 0);
}
