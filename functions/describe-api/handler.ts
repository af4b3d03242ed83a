import { revalidatedAnswer } from '../../runtime/http/answer.ts';
import { httpHandler } from '../../runtime/http/http-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import description from './openapi.json' with { type: 'json' };

/** Answers `GET /openapi.json` with what `npm run docs` has written. The schemas would take most of the function's start. */
export const handler = httpHandler(async ({ headers }) => revalidatedAnswer(description, headers['if-none-match']), {
  name: 'describe-api',
  logger,
  metrics,
});
