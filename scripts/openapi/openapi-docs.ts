import { stringify } from 'yaml';
import { describeApi } from '../../functions/describe-api/describe-api.ts';

/** Writes the description of the HTTP API as docs/openapi.yaml. */
export function openapiDocs(): string {
  const head = '# `npm run docs` writes this file from the schemas in functions/.\n';
  return head + stringify(describeApi(), { lineWidth: 120, aliasDuplicateObjects: false });
}

/** Writes the same as the JSON with which `GET /openapi.json` answers. */
export function openapiAnswer(): string {
  return `${JSON.stringify(describeApi())}\n`;
}
