import { readFileSync } from 'node:fs';
import { environment } from './config.ts';
import { Config } from './domain/config.ts';

/** Reads the config that was bundled with the functions: a file of its own, for the functions that need none. */
export function bundledConfig(): Config {
  return Config.parse(JSON.parse(readFileSync(environment('DAVIT_CONFIG_FILE'), 'utf8')));
}
