import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type * as z from 'zod';
import { agentPod, agentService } from '../../../../core/agent/agent-objects.ts';
import { isErrorCode } from '../../../../core/errors/error-codes.ts';
import { DavitError, TerminalError } from '../../../../core/errors/errors.ts';
import { labelKeys } from '../../../../core/launch/names.ts';
import { CleanUpInput, CleanUpOutput, cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import type { JsonValue } from '../../../../local/json-value.ts';
import { credentialIdOf, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { makeTestDeps, type TestDeps, testProfile } from '../../../support/make-test-deps.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { defineDoor } from '../door.ts';

const launchIds = ['github-1-1-1', 'github-2-2-1'] as const;
const cluster = 'sandbox';

const messages = fc.oneof(
  fc.constantFrom('PodFailed: it failed', 'NoSuchCode: x', 'PodFailed', ': ', '__proto__: x', 'constructor: x'),
  odd.text,
);

/** A Catch's Cause: a Lambda's error as JSON, a near-miss of one, or Step Functions' own text. */
const anyCause = fc.oneof(
  messages.map((errorMessage) => JSON.stringify({ errorType: 'TerminalError', errorMessage, trace: [] })),
  mutatedJson({ errorType: 'TerminalError', errorMessage: 'PodFailed: it failed', trace: [] }).map(jsonText),
  messages,
);

const anyInput: fc.Arbitrary<JsonValue> = fc
  .tuple(
    fc.constantFrom(...launchIds),
    fc.oneof(odd.text, fc.constantFrom('TerminalError', 'States.Timeout')),
    anyCause,
  )
  .chain(([launchId, Error, Cause]) =>
    fc.oneof(
      mutatedJson({ ...JSON.parse(JSON.stringify(planOf(launchId))), failure: { Error, Cause } }),
      fc.constant<JsonValue>({ ...JSON.parse(JSON.stringify(planOf(launchId))), failure: { Error, Cause } }),
      mutatedJson({
        'detail-type': 'Step Functions Execution Status Change',
        detail: { name: launchId, status: 'FAILED', error: Error, cause: Cause },
      }),
      mutatedJson({ launchId }),
    ),
  );

/** CleanUp's inputs: it deletes no object of another launch, and each Cause yields a code. */
export const cleanUpDoor = defineDoor({
  inputs: anyInput.map(jsonText),
  open: () => async (text) => {
    const input = readInput(text);
    if (input === undefined) return 'refused: no input of CleanUp';
    const deps = await makeOccupied();
    const launchId = 'detail' in input ? input.detail.name : input.launchId;
    const words = await cleaned(deps, input);
    for (const other of launchIds.filter((id) => id !== launchId)) {
      assert.equal(objectsOf(deps, other), 2, `cleaning up ${launchId} took something of ${other}`);
    }
    if (words.startsWith('cleaned')) assert.equal(objectsOf(deps, launchId), 0, `something of ${launchId} is left`);
    return words;
  },
});

/** A cluster with the objects of two recorded launches. */
async function makeOccupied(): Promise<TestDeps> {
  const deps = makeTestDeps();
  for (const launchId of launchIds) {
    const plan = planOf(launchId);
    await deps.launches.request(recordOf(launchId));
    const service = await deps.cluster.services.create(agentService(plan));
    await deps.cluster.pods.create(
      agentPod(plan, testProfile, {
        env: {},
        labels: {},
        credentialId: credentialIdOf(1),
        serviceUid: service?.metadata.uid,
      }),
    );
  }
  return deps;
}

async function cleaned(deps: TestDeps, input: z.infer<typeof CleanUpInput>): Promise<string> {
  const openCluster: TestDeps['openCluster'] = async (name) => {
    if (name !== cluster) throw new TerminalError('ProfileUnknown', `no cluster ${name}`);
    return deps.cluster;
  };
  try {
    const { code } = CleanUpOutput.parse(await cleanUp({ ...deps, openCluster }, input));
    assert.ok(isErrorCode(code), `${code} is no code`);
    return `cleaned up: ${code}`;
  } catch (error) {
    if (!(error instanceof DavitError)) throw error;
    return `${error.name} ${error.code}`;
  }
}

function objectsOf({ cluster: { services, pods } }: TestDeps, launchId: string): number {
  return [...services.all(), ...pods.all()].filter(({ metadata }) => metadata.labels?.[labelKeys.launchId] === launchId)
    .length;
}

/** Only Step Functions invokes CleanUp, and never like this: it sends no invalid or too deeply nested JSON. */
function readInput(text: string): z.infer<typeof CleanUpInput> | undefined {
  try {
    return CleanUpInput.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
