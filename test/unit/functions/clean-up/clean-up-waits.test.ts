import { CleanUpInput, cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';
import { testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { launchAt, withPod } from '../../../support/run-steps.ts';

test('a clean-up is not over while a Service outlives its Pod', async () => {
  const { deps } = await launchAt(withPod);
  await deps.launches.end(testLaunchId, endingOf());
  deps.cluster.holdsServices = true;
  const input = CleanUpInput.parse({ launchId: testLaunchId });

  expect(await cleanUp(deps, input)).toMatchObject({
    code: 'RemovalPending',
    message: expect.stringContaining(`Service ${testAgentName} is not gone yet`),
  });
  expect(deps.cluster.pods.all()).toEqual([]);
  expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'cleaning' });

  deps.cluster.services.remove(testAgentName);
  await cleanUp(deps, input);

  expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'failed' });
});
