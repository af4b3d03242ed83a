import * as z from 'zod';

const Settings = z.object({
  /** How long a test or hook may take, in milliseconds. */
  testTimeout: z.number(),
  /** How many concurrent tests of a file run at once. */
  maxConcurrency: z.number(),
  /** The pattern of `-t`, which selects tests by their names; without one, ''. */
  testNamePattern: z.string(),
});

/** What set-up.ts needs of jest's options: jest-light-runner does not hand them on. */
export type Settings = z.output<typeof Settings>;

const variable = 'DAVIT_JEST_SETTINGS';

/** Hands the options on: the workers inherit the environment. */
export function writeSettings(settings: Settings): void {
  process.env[variable] = JSON.stringify(settings);
}

/** Reads the options of this run. @throws ZodError without a runner that has written them */
export function readSettings(): Settings {
  return Settings.parse(JSON.parse(process.env[variable] ?? 'null'));
}
