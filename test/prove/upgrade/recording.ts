import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const Item = z.record(z.string(), z.json());
/** A table's item or a cluster's object as recorded, unparsed by today's schemas. */
export type Item = z.infer<typeof Item>;

/** A moment of a launch, with all of its data. */
export const Moment = z.object({
  /** The entered state; `over` after the execution's end, `ended` after the launch's. */
  name: z.string(),
  atEpochMs: z.int(),
  /** The execution's data, present when it entered a state. */
  data: Item.optional(),
  record: Item,
  token: Item.optional(),
  services: z.array(Item),
  pods: z.array(Item),
});
export type Moment = z.infer<typeof Moment>;

/** A launch from its first state to its end. */
export const RecordedLaunch = z.object({ launchId: z.string(), moments: z.array(Moment) });
export type RecordedLaunch = z.infer<typeof RecordedLaunch>;

/** The installation in which the launches ran. */
export const Installation = z.object({
  /** The parsed davit.yaml. */
  config: z.unknown(),
  /** The key that signs the agents' credentials; only the recorded davit used it. */
  credentialKey: z.string(),
  /** The version id of that key in Secrets Manager: each credential names it. */
  credentialKeyId: z.uuid(),
  /** The HTTP API's URL in the Pods' environment. */
  publicUrl: z.url(),
});
export type Installation = z.infer<typeof Installation>;

/** The recording of one version of davit. */
export interface Recording {
  installation: Installation;
  /** The text of its state machine. */
  definition: string;
  /** JSON Schemas of the data that it reads, by name: see `versioned-shapes.ts`. */
  shapes: Record<string, z.core.JSONSchema.BaseSchema>;
  /** The types of the resources that launches in flight need, by logical id. */
  resources: Record<string, string>;
  launches: Map<string, RecordedLaunch>;
}

/** The variable with the folder of the recording that the tests read. */
export const recordingVariable = 'DAVIT_UPGRADE_RECORDING';
/** The variable with the folder of the sources of the version before. */
export const versionVariable = 'DAVIT_UPGRADE_VERSION';

/** Reads the recording of the version before. @throws Error naming the missing file, ZodError for a malformed one */
export function readRecording(): Recording {
  const folder = z.string().parse(process.env[recordingVariable]);
  const text = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
  const json = (...path: string[]): unknown => JSON.parse(text(...path));
  const launches = readdirSync(join(folder, 'launches')).map(
    (file) => [file.replace('.json', ''), RecordedLaunch.parse(json('launches', file))] as const,
  );
  return {
    installation: Installation.parse(json('installation.json')),
    definition: text('launch.asl.json'),
    shapes: z.record(z.string(), z.custom<z.core.JSONSchema.BaseSchema>(isObject)).parse(json('shapes.json')),
    resources: z.record(z.string(), z.string()).parse(json('resources.json')),
    launches: new Map(launches),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
