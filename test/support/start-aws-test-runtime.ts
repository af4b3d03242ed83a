import { present } from '../../core/present.ts';
import { type AwsRuntime, type AwsRuntimeOptions, startAwsRuntime } from './aws/runtime/start-aws-runtime.ts';
import { recordAwsCalls } from './aws-calls.ts';
import { checkGranted } from './granted-calls.ts';
import { bundles, startTestDavit, type TestRuntime, type TestRuntimeOptions } from './start-test-runtime.ts';

/** A complete davit as it is deployed: its Lambdas' handlers, on emulators of AWS. */
export type AwsTestRuntime = TestRuntime<AwsRuntime>;

/** The differences from the repository's davit.yaml on an ordinary sandbox. */
export interface AwsTestRuntimeOptions
  extends TestRuntimeOptions,
    Pick<AwsRuntimeOptions, 'aws' | 'isThrottled' | 'otherVersion' | 'ownThreads'> {}

/**
 * Starts a davit as `startTestRuntime` does, with the Lambdas' handlers on emulators of AWS. Disposal throws also when a
 * function made an AWS call that its role does not allow.
 */
export async function startAwsTestRuntime(options: AwsTestRuntimeOptions = {}): Promise<AwsTestRuntime> {
  const { aws, isThrottled, otherVersion, ownThreads, ...others } = options;
  const asked = recordAwsCalls();
  const ofAws = present({ aws, isThrottled, otherVersion, ownThreads, bundles });
  const davit = await startTestDavit(others, (given) => startAwsRuntime({ ...given, ...ofAws }));
  const dispose = async () => {
    await davit[Symbol.asyncDispose]();
    asked[Symbol.dispose]();
    checkGranted(asked.calls);
  };
  return { ...davit, [Symbol.asyncDispose]: dispose };
}
