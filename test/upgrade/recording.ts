import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const Item = z.record(z.string(), z.json());
/** An item of a table, or an object of a cluster: as it was, whatever the schemas of today say. */
export type Item = z.infer<typeof Item>;

/** A moment of a launch: everything that there was of it. */
export const Moment = z.object({
  /** The state that was entered, or the status that the record had come to. */
  name: z.string(),
  atEpochMs: z.int(),
  /** The data of the execution, where it entered a state. */
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

/** What the launches were run in. */
export const Installation = z.object({
  /** The parsed davit.yaml. */
  config: z.unknown(),
  /** What the agents' credentials are signed with; of this recording only. */
  credentialKey: z.string(),
  /** The HTTP API's URL, as the Pods were told it. */
  publicUrl: z.url(),
});
export type Installation = z.infer<typeof Installation>;

/** Everything that was recorded of one version of davit. */
export interface Recording {
  version: string;
  installation: Installation;
  /** The text of its state machine. */
  definition: string;
  /** JSON Schemas of what it reads, by name: see `versioned-shapes.ts`. */
  shapes: Record<string, z.core.JSONSchema.BaseSchema>;
  /** The types of the stack's resources that launches in flight hold on to, by logical id. */
  resources: Record<string, string>;
  launches: Map<string, RecordedLaunch>;
}

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** The folder of a version's recording. */
export function recordingFolder(version: string): string {
  return join(fixtures, version);
}

/** The versions that were recorded. */
export function recordedVersions(): string[] {
  return readdirSync(fixtures);
}

/** Reads a version's recording. @throws Error naming the file that is missing, ZodError for one that is malformed */
export function readRecording(version: string): Recording {
  const text = (...path: string[]) => readFileSync(join(recordingFolder(version), ...path), 'utf8');
  const json = (...path: string[]): unknown => JSON.parse(text(...path));
  const launches = readdirSync(join(recordingFolder(version), 'launches')).map(
    (file) => [file.replace('.json', ''), RecordedLaunch.parse(json('launches', file))] as const,
  );
  return {
    version,
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
