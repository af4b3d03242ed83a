import type { InvokedEvents } from '../../core/invoked-events.ts';
import { RetireRunnerInput, RetireRunnerOutput } from '../../functions/retire-runner/retire-runner.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Core } from './core.ts';
import { runStep } from './davit.ts';
import type { Invocation } from './invocation.ts';
import type { SimulatedLambda } from './lambda.ts';

/**
 * Lambda's queue of events, as one run of a function reaches it. Notes each clean-up and each retirement that Lambda has
 * accepted. Drops the events of refused jobs: a world has no bus.
 */
export function simulatedInvokeLater(
  { history }: Core,
  lambda: SimulatedLambda,
  invocation: Invocation,
): InvokeLater<keyof InvokedEvents> {
  return (functionName, event) => {
    switch (functionName) {
      case 'clean-up':
        return invocation.writes('states', () => {
          const { launchId } = event;
          invocation.requestedCleanUp(launchId);
          lambda.invokeLater('clean-up', launchId, runStep('clean-up', event));
        });
      case 'retire-runner':
        return invocation.writes('states', () => {
          const { launchId, reason, by } = event;
          history.add({ kind: 'retirementAsked', launchId, reason, by });
          lambda.invokeLater('retire-runner', launchId, async (logic, deps) =>
            RetireRunnerOutput.parse(await logic.retireRunner(deps, RetireRunnerInput.parse(event))),
          );
        });
      case 'publish-events':
        return Promise.resolve();
      case 'admit':
      case 'report-to-ci':
      case 'poll-ci':
      case 'probe':
        throw new TypeError(`no function of this world invokes ${functionName}`);
    }
  };
}
