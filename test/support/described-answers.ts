import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describeApi } from '../../functions/describe-api/describe-api.ts';
import type { HttpApiResponse } from '../../local/gateway/http-api-response.ts';

/** Checks the HTTP API's answers against its OpenAPI description. */
export interface DescribedAnswers {
  /** Takes an answer to a request for a route, such as `GET /launches`. */
  onAnswer: (routeKey: string, answer: HttpApiResponse) => void;
  /** @throws Error that names each answer that violates the description */
  check(): void;
}

/**
 * Makes a check of answers. It reports any status, content type, header or field that the description lacks, and any
 * required field that an answer lacks.
 */
export function createDescribedAnswers(): DescribedAnswers {
  const found = new Set<string>();
  return {
    onAnswer: (routeKey, answer) => {
      checkAnswer ??= createAnswerCheck();
      for (const error of checkAnswer(routeKey, answer)) {
        found.add(`${routeKey} ${answer.statusCode} ${error}: ${answer.body.toString().slice(0, 600)}`);
      }
    },
    check: () => {
      if (found.size > 0) throw new Error(`violates the API's description:\n${[...found].slice(0, 10).join('\n')}`);
    },
  };
}

/** @returns how an answer differs from its description */
type AnswerCheck = (routeKey: string, answer: HttpApiResponse) => string[];

/** The tests of a process share the schemas that are compiled. */
let checkAnswer: AnswerCheck | undefined;

function createAnswerCheck(): AnswerCheck {
  const description = describeApi(true);
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  // ajv-formats is CommonJS: its function is the module's default.
  addFormatsModule.default(ajv);
  ajv.addSchema({ ...description, $id: 'davit' });
  const compiled = new Map<string, ValidateFunction>();

  function errorsAt(pointer: string, body: unknown): string[] {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `davit#${pointer}` });
    compiled.set(pointer, validate);
    return validate(body)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  return (routeKey, { statusCode, headers, body }) => {
    const [method = '', path = ''] = routeKey.split(' ');
    const verb = method.toLowerCase();
    const { responses } = description.paths[path]?.[verb] ?? {};
    if (responses === undefined) return ['is not described'];
    const status = responses[statusCode] === undefined ? 'default' : `${statusCode}`;
    const absent = Object.keys(responses[status]?.headers ?? {}).filter((name) => isAbsent(name, status, headers));
    const missing = absent.map((name) => `has no header ${name}`);
    const { content } = responses[status] ?? {};
    if (content === undefined) return body.length === 0 ? missing : [...missing, 'has a body'];
    const type = headers['content-type']?.split(';')[0] ?? '';
    if (content[type] === undefined) return [...missing, `has the content type ${type}`];
    const value: unknown = type.endsWith('json') ? JSON.parse(body.toString()) : body.toString();
    const pointer = ['paths', path, verb, 'responses', status, 'content', type, 'schema'].map(escaped).join('/');
    return [...missing, ...errorsAt(`/${pointer}`, value)];
  };
}

/** API Gateway's own answers lack the functions' headers. */
function isAbsent(name: string, status: string, headers: HttpApiResponse['headers']): boolean {
  const isGateways = Number(status) >= 400 && headers['content-type'] === 'application/json';
  return !isGateways && headers[name.toLowerCase()] === undefined;
}

/** @see https://www.rfc-editor.org/rfc/rfc6901 section 6: the form in a URI fragment */
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
