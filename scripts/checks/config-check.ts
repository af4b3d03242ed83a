import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { ConfigError } from '../../core/config/config-problem.ts';
import { readConfig } from '../../core/config/read-config.ts';
import type { Check } from './check.ts';

/** davit accepts the repository's davit.yaml. */
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
