import type { Parts } from '../serve-routes.ts';
import type { Caller } from './access.ts';
import { type Answer, httpError, page, postRequired } from './answers.ts';
import type { RootUrl } from './build-beans.ts';
import { type Bean, exportBean } from './exported.ts';
import type { JenkinsState } from './jenkins-state.ts';

/** A request to the server. */
export interface Asked {
  method: string;
  headers: Headers;
  /** Of the URL, and of a body that is a form. */
  parameters: URLSearchParams;
  body: string;
  path: Parts;
  caller: Caller;
}

/** What the routes need of the server. */
export interface Served {
  state: JenkinsState;
  root: () => RootUrl;
  /** The secret of a node's name, the same for ever. */
  secretOf: (name: string) => string;
}

/** What answers, by the path without its query. */
export type Routes = Readonly<Record<string, (asked: Asked) => Answer>>;

/** The version that the fake says it is: the oldest LTS that davit supports. */
export const jenkinsVersion = '2.479.1';

/** Answers with an object of the remote API. @see hudson.model.Api#doJson */
export function api({ state }: Served, { parameters }: Asked, bean: Bean): Answer {
  const headers = {
    'content-type': 'application/json;charset=utf-8',
    'x-jenkins': jenkinsVersion,
    'x-jenkins-session': state.session,
  };
  try {
    return { status: 200, headers, body: JSON.stringify(exportBean(bean, parameters)) };
  } catch (error) {
    if (error instanceof SyntaxError) throw httpError(500, `java.lang.IllegalArgumentException: ${error.message}`);
    throw error;
  }
}

/** @throws Refusal with status 405 that names the method, for a request of another verb */
export function requirePost({ method }: Asked, name: string): void {
  if (method !== 'POST') throw postRequired(name);
}

/** Sends the client on, as after a form. */
export function redirect(location: string): Answer {
  return { status: 302, headers: { location } };
}

/** A page for a person, who follows a link from davit. */
export function htmlPage(title: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/html;charset=utf-8' }, body: page(title, '') };
}
