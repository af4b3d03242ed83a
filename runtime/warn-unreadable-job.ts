import { logger } from './logger.ts';

/** Logs a job whose record cannot be read: davit does nothing for it. */
export function warnUnreadableJob(jobKey: string, why: string): void {
  logger.warn("a job's record cannot be read", { jobKey, why });
}
