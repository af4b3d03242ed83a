import { type Answer, json } from '../serve-routes.ts';

/** @see lib/api/helpers.rb of GitLab, `render_api_error!`: `{"message":"404 Project Not Found"}` */
export function refuse(status: number, message: string): Answer {
  return json(status, { message });
}

/**
 * Answers with one page of a list.
 *
 * @see lib/gitlab/pagination/offset_header_builder.rb of GitLab: `X-Next-Page` is empty on the last page
 */
export function page(items: readonly unknown[], query: URLSearchParams, isCounted = true): Answer {
  const number = Number(query.get('page') ?? 1);
  const length = Math.min(100, Number(query.get('per_page') ?? 20));
  const rest = items.slice((number - 1) * length);
  const headers = {
    'x-page': `${number}`,
    'x-per-page': `${length}`,
    'x-next-page': rest.length > length ? `${number + 1}` : '',
    ...(isCounted
      ? { 'x-total': `${items.length}`, 'x-total-pages': `${Math.max(1, Math.ceil(items.length / length))}` }
      : {}),
  };
  return json(200, rest.slice(0, length), headers);
}
