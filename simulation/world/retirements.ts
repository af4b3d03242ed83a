import { RetireRunnerInput, RetireRunnerOutput } from '../../functions/retire-runner/retire-runner.ts';
import type { Retirements } from '../../ports/requests.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';
import type { SimulatedLambda } from './lambda.ts';

/** Lambda's queue of retirements, as one run of a function reaches it. Notes each request that Lambda has accepted. */
export function simulatedRetirements({ history }: Core, lambda: SimulatedLambda, invocation: Invocation): Retirements {
  return {
    request: (retirement) =>
      invocation.writes('states', () => {
        const { launchId, reason, by } = retirement;
        history.add({ kind: 'retirementAsked', launchId, reason, by });
        lambda.invokeLater('retire-runner', launchId, async (logic, deps) =>
          RetireRunnerOutput.parse(await logic.retireRunner(deps, RetireRunnerInput.parse(retirement))),
        );
      }),
  };
}
