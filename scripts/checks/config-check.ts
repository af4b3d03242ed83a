import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { ConfigError } from '../../local/config/config-problem.ts';
import { readConfig } from '../../local/config/read-config.ts';
import type { Check } from './check.ts';

/** The repository's davit.yaml is one that davit takes. */
export const configCheck: Check = {
  name: 'davit.yaml',
  findings: async () => {
    try {
      await readConfig(join(rootFolder, 'davit.yaml'));
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return [...error.problems];
      throw error;
    }
  },
};
