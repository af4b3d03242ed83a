import { type Answer, type Asked, json } from '../serve-routes.ts';

/** "All error responses return a JSON object with a `message` field." */
export function refuse(status: number, message: string): Answer {
  return json(status, { message });
}

/** What follows `Token ` in a request's `Authorization`. */
export function tokenIn({ headers }: Asked): string {
  return (headers.authorization ?? '').replace(/^Token /, '');
}
