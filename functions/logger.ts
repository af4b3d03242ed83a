import { Logger } from '@aws-lambda-powertools/logger';
import { inSources } from './source-positions.ts';

/**
 * The functions' log: JSON lines on standard output. Append ids as keys to a child logger, one per request, because a
 * process may serve several at once. Log no secret: no body, no header, no environment.
 */
export const logger = new Logger({
  jsonReplacerFn: (key, value) => (key === 'stack' && typeof value === 'string' ? inSources(value) : value),
});
