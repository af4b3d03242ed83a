import { readFileSync } from 'node:fs';
import type { Config } from '../core/config/config.ts';
import * as z from '../core/zod.ts';
import { environment } from './environment.ts';

/** davit.yaml was checked when this file was written from it. Its schemas would be a tenth of a function's start. */
const CheckedConfig = z.custom<Config>((value) => typeof value === 'object' && value !== null);

/** Reads the bundled config. This is a separate file because some functions need no config. */
export function bundledConfig(): Config {
  return CheckedConfig.parse(JSON.parse(readFileSync(environment('DAVIT_CONFIG_FILE'), 'utf8')));
}
