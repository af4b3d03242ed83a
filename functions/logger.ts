import { Logger } from '@aws-lambda-powertools/logger';
import { inSources } from './source-positions.ts';

/**
 * The functions' log: JSON lines on standard output. Callers append the ids as keys on a child of it, one a request,
 * since a process may serve several at once. Nothing secret goes in: no body, no header, no environment.
 */
export const logger = new Logger({
  jsonReplacerFn: (key, value) => (key === 'stack' && typeof value === 'string' ? inSources(value) : value),
});
