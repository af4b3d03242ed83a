import * as z from 'zod';
import { CompletedToken } from '../../../core/launch/completed-token.ts';
import { LaunchRecord } from '../../../core/launch/launch-record.ts';
import { CleanUpInput, CleanUpOutput } from '../../../functions/clean-up/clean-up.ts';
import { CreatePodInput, CreatePodOutput } from '../../../functions/create-pod/create-pod.ts';
import { CreateServiceInput, CreateServiceOutput } from '../../../functions/create-service/create-service.ts';
import { PollHostIPInput, PollHostIPOutput } from '../../../functions/poll-host-ip/poll-host-ip.ts';
import { PollNodePortInput, PollNodePortOutput } from '../../../functions/poll-node-port/poll-node-port.ts';
import { PublishTokenOutput } from '../../../functions/publish-token/publish-token.ts';
import { PublishTokenInput } from '../../../functions/publish-token/publish-token-input.ts';
import { RelaunchInput, RelaunchOutput } from '../../../functions/relaunch/relaunch.ts';
import { Shape } from './differences.ts';

/** The data that davit stores and reads back in a later invocation. */
const stored = { LaunchRecord, CompletedToken };

/** The inputs that a state machine passes to the functions. */
const inputs = {
  CreateServiceInput,
  PollNodePortInput,
  CreatePodInput,
  PollHostIPInput,
  PublishTokenInput,
  RelaunchInput,
  CleanUpInput,
};

/** The outputs that a state machine takes from the functions. */
const outputs = {
  CreateServiceOutput,
  PollNodePortOutput,
  CreatePodOutput,
  PollHostIPOutput,
  PublishTokenOutput,
  RelaunchOutput,
  CleanUpOutput,
};

/** The names of the shapes that one version's functions write and another version's read. */
export const readBack: readonly string[] = Object.keys({ ...stored, ...inputs });

/** The names of all shapes that two versions exchange. */
export const versionedShapes: readonly string[] = Object.keys({ ...stored, ...inputs, ...outputs });

/**
 * The shapes of today as JSON Schemas.
 *
 * @param side `input`: the accepted data; `output`: the parsed data, which davit then writes
 */
export function shapesOfToday(side: 'input' | 'output'): Record<string, z.core.JSONSchema.BaseSchema> {
  const entries = Object.entries({ ...stored, ...inputs, ...outputs });
  return Object.fromEntries(entries.map(([name, schema]) => [name, z.toJSONSchema(schema, { io: side })]));
}

/** The data that earlier states have added before a step's state is entered, whether or not the step reads it. */
const gathered: Readonly<Record<string, Record<string, keyof typeof outputs>>> = {
  PollNodePortInput: { service: 'CreateServiceOutput' },
  PollHostIPInput: { pod: 'CreatePodOutput' },
  PublishTokenInput: { pod: 'CreatePodOutput', placement: 'PollHostIPOutput' },
};

/**
 * The shape of the data that a reader meets. It consists of the fields that the same version's reader requires, and in
 * a step's input also all data of earlier states.
 *
 * @param shapes the shapes of one version
 */
export function shapeThere(shapes: Record<string, z.core.JSONSchema.BaseSchema>, name: string): Shape {
  const added = Object.entries(gathered[name] ?? {}).map(
    ([key, output]) => [key, Shape.parse(shapes[output])] as const,
  );
  return withFields(Shape.parse(shapes[name]), Object.fromEntries(added));
}

function withFields(shape: Shape, added: Record<string, Shape>): Shape {
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices !== undefined) return { anyOf: choices.map((choice) => withFields(choice, added)) };
  return {
    ...shape,
    properties: { ...shape.properties, ...added },
    required: [...(shape.required ?? []), ...Object.keys(added)],
  };
}
