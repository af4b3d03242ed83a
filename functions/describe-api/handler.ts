import { revalidatedAnswer } from '../http/answer.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { describeApi } from './describe-api.ts';

const description = describeApi();

/** Answers `GET /openapi.json`. It is a separate function, so that no other one loads the schemas of answers. */
export const handler = httpHandler(async ({ headers }) => revalidatedAnswer(description, headers['if-none-match']), {
  name: 'describe-api',
  logger,
  metrics,
});
