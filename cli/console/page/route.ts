/** A view of the console: the part of the address after `#`. */
export interface Route {
  page: string;
  /** The subject of the page: a launch's id, a cluster's name. */
  subject?: string;
  query: URLSearchParams;
}

/** Reads `#/launches/api-7?status=failed`. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', subject = ''] = path.split('/').map(decoded);
  return {
    page: page === '' ? 'now' : page,
    ...(subject === '' ? {} : { subject }),
    query: new URLSearchParams(query),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Writes an address. */
export function hrefOf(page: string, subject = '', query = new URLSearchParams()): string {
  const about = subject === '' ? '' : `/${encodeURIComponent(subject)}`;
  const asked = query.size === 0 ? '' : `?${query}`;
  return `#/${page}${about}${asked}`;
}
