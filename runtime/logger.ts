import { Logger } from '@aws-lambda-powertools/logger';
import { inSources } from './source-positions.ts';

/** Keys that say what the log group's name and the function's settings say, and one that a child logger cannot know. */
const redundant: ReadonlySet<string> = new Set([
  'cold_start',
  'function_arn',
  'function_memory_size',
  'function_name',
  'sampling_rate',
]);

/**
 * The functions' log: JSON lines on standard output. Append ids as keys to a child logger, one per request, because a
 * process may serve several at once. Log no secret: no body, no header, no environment.
 */
export const logger = new Logger({
  jsonReplacerFn: (key, value) => {
    if (redundant.has(key) || value === 'service_undefined') return undefined;
    return key === 'stack' && typeof value === 'string' ? inSources(value) : value;
  },
});
