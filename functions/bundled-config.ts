import { readFileSync } from 'node:fs';
import { Config } from './domain/config.ts';
import { environment } from './environment.ts';

/** Reads the config that is bundled with the functions. A file of its own: some functions need no config. */
export function bundledConfig(): Config {
  return Config.parse(JSON.parse(readFileSync(environment('DAVIT_CONFIG_FILE'), 'utf8')));
}
