import { writtenMessage } from '../core/trace/written.ts';
import type { Trace } from '../ports/trace.ts';
import { logger } from './logger.ts';

/** Logs each write of a record, for `davit export-trace`. */
export const traceWrites: Trace = (written) => {
  // The key by which people find a launch's lines.
  const ids = written.kind === 'launch' ? { launchId: written.key } : {};
  logger.info(writtenMessage, { ...ids, written });
};
