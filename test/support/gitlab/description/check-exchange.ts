import * as z from 'zod';
import { type Described, type Fields, type Operation, operations, unread, unreadFields } from './operations.ts';

/** A request to a GitLab, and its answer. The path begins after `/api/v4`, the query with `?` if there is one. */
export interface GitlabExchange {
  method: string;
  path: string;
  query: string;
  /** Of the request. */
  body: unknown;
  status: number;
  answer: unknown;
}

/** How GitLab itself differs from its description, by its source, which davit and the fake follow. */
const corrections: Readonly<Record<string, Partial<Operation>>> = {
  // lib/api/ci/runners.rb, destroy_conditionally!: 204 without a body. The description has 200 and the runner.
  'DELETE /runners/{id}': { statuses: [204, 400, 401, 403, 404, 412], answer: {} },
  // lib/api/ci/runners.rb, present paginate(…): each is a list. The description has one object.
  'GET /groups/{id}/runners': { isList: true },
  'GET /projects/{id}/runners': { isList: true },
  'GET /runners/{id}/jobs': { isList: true },
  // lib/api/helpers/pagination_strategies.rb reads order_by of every list. The description has none for webhooks.
  'GET /projects/{id}/hooks': { query: { order_by: ['id'], page: 'integer', per_page: 'integer' } },
};

/**
 * Fields of which lib/api/entities exposes another type than the description has, which says `string` of each field that its
 * entity does not document.
 */
const correctedFields: Fields = {
  tag_list: 'array',
  run_untagged: 'boolean',
  locked: 'boolean',
  maximum_timeout: 'integer',
};

/** Statuses that any operation may answer, and that few list: authentication, rate limits and faults. */
const anyOperations: readonly number[] = [401, 403, 404, 429, 500, 502, 503];

const Body = z.record(z.string(), z.unknown());

/**
 * Checks a request and its answer against GitLab's description: unknown operations, parameters, fields and statuses are
 * problems, and so are values of another type. An answer's field may be null: the description says of none that it may not.
 *
 * @returns each problem, in words; empty for an operation that was not read in the description
 */
export function checkExchange(exchange: GitlabExchange): string[] {
  const { method, path, status } = exchange;
  const name = [...Object.keys(operations), ...unread].find((each) => patternOf(each).test(`${method} ${path}`));
  if (name === undefined) return [`GitLab has no ${method} ${path}`];
  const found = operations[name];
  if (found === undefined) return [];
  const operation: Operation = { ...found, ...corrections[name] };
  const isKnown = operation.statuses.includes(status) || anyOperations.includes(status);
  const problems = [
    ...(status < 400 ? requestProblems(operation, exchange) : []),
    ...(isKnown ? [] : [`has no status ${status}`]),
    ...(status < 300 ? answerProblems(operation, exchange.answer) : []),
  ];
  return problems.map((problem) => `${method} ${path} ${status}: ${problem}`);
}

function patternOf(operation: string): RegExp {
  return new RegExp(`^${operation.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}

function requestProblems(
  { query = {}, body: fields, required = [] }: Operation,
  { query: sent, body }: GitlabExchange,
) {
  const asked = [...new URLSearchParams(sent)].flatMap(([name, value]) => {
    const key = name.replace(/\[\]$/, '');
    const described = query[key];
    if (described === undefined) return [`has no parameter ${name}`];
    return isOf(described, parsed(value, described)) ? [] : [`the parameter ${name} cannot be ${value}`];
  });
  if (body === '' || body === undefined) return [...asked, ...required.map((name) => `the body lacks ${name}`)];
  const given = Body.parse(body);
  return [
    ...asked,
    ...required.filter((name) => given[name] === undefined).map((name) => `the body lacks ${name}`),
    ...fieldProblems(fields ?? {}, given, 'the body'),
  ];
}

function answerProblems({ answer, isList = false }: Operation, given: unknown): string[] {
  if (Array.isArray(given) !== isList) return [isList ? 'answers a list' : 'answers no list'];
  if (answer === undefined) return [];
  const described = {
    ...answer,
    ...Object.fromEntries(Object.entries(correctedFields).filter(([key]) => key in answer)),
  };
  const items: unknown[] = Array.isArray(given) ? given : [given ?? {}];
  return items.flatMap((item) => {
    const fields = Object.entries(Body.parse(item)).filter(([key, value]) => value !== null && !isUnread(key, answer));
    return fieldProblems(described, Object.fromEntries(fields), 'the answer');
  });
}

function isUnread(key: string, answer: Fields): boolean {
  return !(key in answer) && unreadFields.includes(key);
}

function fieldProblems(described: Fields, given: Readonly<Record<string, unknown>>, where: string): string[] {
  return Object.entries(given).flatMap(([key, value]) => {
    const field = described[key];
    if (field === undefined) return [`${where} has no field ${key}`];
    return isOf(field, value) ? [] : [`${key} in ${where} cannot be ${JSON.stringify(value)}`];
  });
}

function parsed(text: string, described: Described): unknown {
  if (described === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return described === 'integer' ? Number(text) : text;
}

function isOf(described: Described, value: unknown): boolean {
  if (typeof described !== 'string') return typeof value === 'string' && described.includes(value);
  if (described === 'array') return Array.isArray(value);
  if (described === 'integer') return Number.isInteger(value);
  if (described === 'object') return typeof value === 'object' && !Array.isArray(value);
  return typeof value === described;
}
