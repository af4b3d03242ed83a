import { PendingError, TerminalError } from '../../../../core/errors/errors.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { readFailure } from '../../../../logic/steps/read-failure.ts';
import { podsObserved, withLogic } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** JENKINS-68649 shipped this check. */
function requirePhaseRunning(pod: PodView | undefined): void {
  const runs = pod?.status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
  if (runs && pod?.status?.phase !== 'Running') throw new TerminalError('PodFailed', `phase ${pod?.status?.phase}`);
}

/** Defects of a step, some of which earlier software had. */
export const stepMutants: readonly Mutant[] = [
  {
    name: 'a launch fails whose Pod is deleted before its agent has connected',
    world: { seed: 2, kinds: ['deletedByOthers'] },
    breaks: '3: a launch ends only',
    mutation: withLogic('relaunch', (relaunch) => async (deps, input) => {
      const { code, message } = readFailure(input.failure);
      if (code === 'DeletedExternally') throw new TerminalError(code, message);
      return relaunch(deps, input);
    }),
  },
  {
    name: 'a Pod whose containers run while its phase says Pending is declared dead',
    world: { seed: 1, kinds: ['statusLate', 'statusOdd'] },
    breaks: '3:',
    mutation: { deps: (deps) => podsObserved(deps, requirePhaseRunning) },
  },
  {
    name: "a nodePort that is not there yet is replaced by the container's port",
    world: { seed: 1, kinds: ['portLate', 'portMissing'] },
    breaks: '1:',
    mutation: withLogic('pollNodePort', (pollNodePort) => async (deps, input) => {
      try {
        return await pollNodePort(deps, input);
      } catch (error) {
        if (!(error instanceof PendingError)) throw error;
        return { port: input.agentPort, readAtEpochMs: deps.nowEpochMs() };
      }
    }),
  },
  {
    name: 'a deadline is counted from the latest attempt',
    world: { seed: 5, kinds: ['hostMissing', 'agentNever'] },
    breaks: 'progress: an execution',
    mutation: withLogic(
      'pollHostIP',
      (pollHostIP) => (deps, input) =>
        pollHostIP(deps, { ...input, pod: { ...input.pod, createdAtEpochMs: deps.nowEpochMs() } }),
    ),
  },
];
