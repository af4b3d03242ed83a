import type { NamedWrite } from '../adapters/aws/create-dynamo-records.ts';
import { logger } from '../logger.ts';

/** Logs a write of a record. The revisions order the writes of one record, whichever functions made them. */
export function logWrite({ key, revision, command }: NamedWrite): void {
  logger.info('record written', { record: key, revision, command });
}
