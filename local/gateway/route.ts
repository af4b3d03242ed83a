/** One route of the API. A `{name}` in `path` is a parameter. */
export interface Route {
  /** An HTTP method, or `ANY`. */
  method: string;
  path: string;
  functionName: string;
  /** The authorizer of callers on AWS: IAM, or the function itself. @default 'self' */
  authorization?: 'iam' | 'self';
  /** Whether the function needs the request's body. @default true */
  readsBody?: boolean;
}

/** A route and the values of its parameters. */
export interface RouteMatch {
  route: Route;
  /** The route's key on AWS, such as `GET /launches/{launchId}`. */
  routeKey: string;
  pathParameters: Record<string, string>;
}

/**
 * Finds the route of a request: the full match with the most literal segments wins, an exact method before `ANY`.
 *
 * @param path Percent-decoded. AWS decodes before it routes: an encoded slash separates segments like any other.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  return routes
    .filter((route) => route.method === method || route.method === 'ANY')
    .flatMap((route) => matchPath(route, path) ?? [])
    .sort((a, b) => rank(a) - rank(b))
    .at(0);
}

function matchPath(route: Route, path: string): RouteMatch | undefined {
  const pattern = route.path.split('/');
  const segments = path.split('/');
  if (pattern.length !== segments.length) return undefined;
  const parameters: [string, string][] = [];
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const [, parameterName] = /^\{(.+)\}$/.exec(part) ?? [];
    if (parameterName === undefined ? part !== segment : segment === '') return undefined;
    if (parameterName !== undefined) parameters.push([parameterName, segment]);
  }
  return { route, routeKey: `${route.method} ${route.path}`, pathParameters: Object.fromEntries(parameters) };
}

function rank({ route, pathParameters }: RouteMatch): number {
  return Object.keys(pathParameters).length * 2 + (route.method === 'ANY' ? 1 : 0);
}
