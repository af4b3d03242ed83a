import { type Answer, type Asked, json, type Routes } from '../serve-routes.ts';

/** An operation's `…Data` in `@llamaduck/forgejo-ts`. */
interface OperationData {
  url: string;
  path?: object;
  query?: object;
}

/** One of the successful answers of an operation's `…Responses`. */
type Described<Responses> = {
  [Status in keyof Responses & number]: { status: Status; body: Responses[Status]; headers?: Record<string, string> };
}[keyof Responses & number];

/** How the fake does an operation. */
interface Operation<Data extends OperationData, Responses> {
  /** The parameters that it obeys: a request with another one is refused. @default none */
  query?: readonly (keyof NonNullable<Data['query']> & string)[];
  /** @returns undefined for what is not found */
  respond: (path: PathOf<Data>, asked: Asked) => Described<Responses> | undefined;
}

type PathOf<Data extends OperationData> = Readonly<Record<keyof NonNullable<Data['path']> & string, string>>;

/**
 * Makes a route of an operation of the OpenAPI description that Forgejo 15 publishes, which `@llamaduck/forgejo-ts` has as
 * types: another path, parameter, status or type of a field does not compile.
 */
export function describedRoute<Data extends OperationData, Responses extends object>(
  method: string,
  url: Data['url'],
  { query: known = [], respond }: Operation<Data, Responses>,
): Routes {
  return {
    [`${method} ${url}`]: (path, asked) => {
      const unknown = [...asked.query.keys()].find((name) => !known.some((each) => each === name));
      if (unknown !== undefined) return refuse(400, `${method} ${url} has no parameter ${unknown}`);
      const answer = respond(path, asked);
      return answer === undefined ? notFound() : json(answer.status, answer.body, answer.headers);
    },
  };
}

/** `services/context/api.go`, `APIError`. */
export function refuse(status: number, message: string): Answer {
  return json(status, { message, url: 'http://forgejo/api/swagger' });
}

export function notFound(): Answer {
  return refuse(404, "The target couldn't be found.");
}
