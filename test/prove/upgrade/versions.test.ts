import * as z from 'zod';
import { createJoseVerifier } from '../../../adapters/jose/jose-credentials.ts';
import { PendingError, RelaunchError, TerminalError, TransientError } from '../../../core/errors/errors.ts';
import { stateMachineFunctions } from '../../../runtime/function-settings.ts';
import { definitionText } from '../../../scripts/statemachine/read-definition.ts';
import { synthesise } from '../../cdk/synthesise.ts';
import { fixedSigning } from '../../support/fixed-secrets.ts';
import { agentOf } from './agent-environment.ts';
import { unreadable } from './differences.ts';
import { readRecording } from './recording.ts';
import { resourcesInFlight } from './resources-in-flight.ts';
import { readBack, shapesOfToday, shapeThere, versionedShapes } from './versioned-shapes.ts';

const read = shapesOfToday('input');
const written = shapesOfToday('output');

/** What this version writes and the one before cannot read, each with the reason why a deployment survives it. */
const knownExceptions: readonly string[] = [];

/**
 * What this version lacks of the one before: a deployment fails the launches that wait there. Nothing has been released, so
 * nobody has such a launch.
 */
const removed = { placeholders: ['AwaitAgentFunctionArn'], resources: /AwaitAgent/ };

describe('this version, compared with the one before,', () => {
  const { definition, shapes, resources, launches, installation } = readRecording();

  test.each(readBack)("reads that version's %s", (name) => {
    expect(unreadable(shapeThere(shapes, name), read[name], name)).toEqual([]);
  });

  test('writes nothing that the version could not read, except the known exceptions', () => {
    const refused = versionedShapes.flatMap((name) => unreadable(written[name], shapes[name], name));

    expect(refused).toEqual(knownExceptions);
  });

  test("still has every function that the version's state machine calls", () => {
    const called = [...definition.matchAll(/\$\{(\w+Arn)\}/g)].map(([, placeholder = '']) => placeholder);

    expect(called).not.toEqual([]);
    const missing = called.filter((placeholder) => !Object.hasOwn(stateMachineFunctions, placeholder));
    expect(missing.filter((placeholder) => !removed.placeholders.includes(placeholder))).toEqual([]);
  });

  test("throws no family of errors that the version's state machine does not match by name", () => {
    const families = [PendingError, TransientError, RelaunchError, TerminalError].map(({ name }) => name);
    const matchedIn = (text: string) => families.filter((name) => text.includes(`"${name}"`));

    expect(matchedIn(definition)).toEqual(matchedIn(definitionText));
  });

  test('keeps the logical id of every resource that launches in flight hold', () => {
    const kept = Object.entries(resources).filter(([logicalId]) => !removed.resources.test(logicalId));

    expect(resourcesInFlight(synthesise())).toMatchObject(Object.fromEntries(kept));
  });

  test.each([...launches])("accepts the credential of that version's Pod (%s)", async (_name, launch) => {
    const moments = launch.moments.filter(({ pods }) => pods.length > 0);
    const accepted = await Promise.all(
      moments.map(({ pods, atEpochMs }) => {
        const credentials = createJoseVerifier({
          keys: fixedSigning(installation.credentialKey, installation.credentialKeyId),
          nowEpochMs: () => atEpochMs,
        });
        return credentials.verify(agentOf(pods.at(-1)).credential);
      }),
    );

    expect(accepted).not.toEqual([]);
    expect(accepted).toEqual(
      moments.map(({ pods }) =>
        expect.objectContaining({ launchId: launch.launchId, agentName: Named.parse(pods.at(-1)).metadata.name }),
      ),
    );
  });
});

const Named = z.object({ metadata: z.object({ name: z.string() }) });

describe('the comparison of shapes finds changes that would fail launches in flight', () => {
  const plan = z.object({ name: z.string(), port: z.int().max(100), kind: z.enum(['a', 'b']), more: z.object({}) });
  const shape = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });
  test.each<[what: string, later: z.ZodType, problems: string[]]>([
    ['nothing', plan, []],
    ['an optional field', plan.extend({ added: z.string().optional() }), []],
    ['a field with a default', plan.extend({ added: z.string().default('x') }), []],
    ['a wider range', plan.extend({ port: z.number().max(200) }), []],
    ['a choice with what there was', plan.extend({ name: z.union([z.string(), z.number()]) }), []],
    ['a required field', plan.extend({ added: z.string() }), ['plan.added: is not always written, and is required']],
    [
      'a required field within',
      plan.extend({ more: z.object({ in: z.int() }) }),
      ['plan.more.in: is not always written, and is required'],
    ],
    ['another type', plan.extend({ port: z.string() }), ['plan.port: integer is written, string is read']],
    ['a narrower range', plan.extend({ port: z.int().max(50) }), ['plan.port: more is written than is read']],
    ['a pattern', plan.extend({ name: z.string().regex(/^a/) }), ['plan.name: its pattern has changed']],
    ['a removed value', plan.extend({ kind: z.enum(['a']) }), ['plan.kind: b is written and not known']],
    [
      'strictness',
      z.strictObject(plan.omit({ name: true }).shape),
      ['plan.name: is written, and is refused as unknown'],
    ],
  ])('%s', (_what, later, problems) => {
    expect(unreadable(shape(plan), shape(later), 'plan')).toEqual(problems);
  });
});
