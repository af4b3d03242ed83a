import { describeApi } from '../../functions/describe-api/describe-api.ts';

/** Writes the description of the HTTP API with which `GET /openapi.json` answers. */
export function openapiAnswer(): string {
  return `${JSON.stringify(describeApi())}\n`;
}
