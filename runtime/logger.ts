import { Logger } from '@aws-lambda-powertools/logger';
import { inSources } from './source-positions.ts';

/**
 * The functions' log: JSON lines on standard output. Give ids as keys of each line: a process may serve several requests at
 * once, and a child logger costs half a millisecond. Log no secret: no body, no header, no environment.
 */
export const logger = new Logger({
  jsonReplacerFn: (key, value) => {
    if (key === 'sampling_rate' || value === 'service_undefined') return undefined;
    return key === 'stack' && typeof value === 'string' ? inSources(value) : value;
  },
});
