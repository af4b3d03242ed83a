/** An answer of the server. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A request that the server refuses, with its answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with status ${answer.status}`);
    this.answer = answer;
  }
}

const html = { 'content-type': 'text/html;charset=utf-8' };

/** Refuses a request with Jenkins' error page. @see hudson.model.Failure, hudson/model/AbstractModelObject/error.jelly */
export function failure(message: string): Refusal {
  const headers = { ...html, 'x-error': toLatin1(message) };
  return new Refusal({ status: 400, headers, body: page('Error', `<p>${message}</p>`) });
}

/** An error of the servlet container's kind, `sendError`. */
export function httpError(status: number, message: string): Refusal {
  return new Refusal({ status, headers: html, body: `<h2>HTTP ERROR ${status}</h2><p>${message}</p>` });
}

/** Refuses a method other than POST. @see org.kohsuke.stapler.interceptor.RequirePOST */
export function postRequired(method: string): Refusal {
  const body = `<html><head><title>POST required</title></head><body>POST is required for ${method}<br></body></html>`;
  return new Refusal({ status: 405, headers: { ...html, allow: 'POST' }, body });
}

/** Refuses a user without a permission. @see hudson.security.AccessDeniedHandlerImpl, hudson.security.AccessDeniedException3 */
export function accessDenied(user: string, permission: { title: string; id: string }): Refusal {
  const headers = {
    ...html,
    'x-you-are-authenticated-as': user,
    'x-you-are-in-group-disabled':
      'JENKINS-39402: use -Dhudson.security.AccessDeniedException2.REPORT_GROUP_HEADERS=true or use /whoAmI to diagnose',
    'x-required-permission': permission.id,
    'x-permission-implied-by': 'hudson.model.Hudson.Administer',
  };
  const message = `<p class="error">${user} is missing the ${permission.title} permission</p>`;
  return new Refusal({ status: 403, headers, body: page('Access Denied', message) });
}

/** Refuses a wrong token. @see jenkins.security.BasicHeaderProcessor, and `basicAuthenticationEntryPoint` in SecurityRealm */
export function unauthorized(): Refusal {
  const headers = { ...html, 'www-authenticate': 'Basic realm="Jenkins"' };
  return new Refusal({ status: 401, headers, body: '<h2>HTTP ERROR 401 Unauthorized</h2>' });
}

/** Answers while the server starts. @see hudson.util.HudsonIsLoading and its index.jelly */
export function starting(): Answer {
  return {
    status: 503,
    headers: html,
    body: page('Jenkins is getting ready to work', 'Your browser will reload automatically when Jenkins is ready.'),
  };
}

/** A page for a browser. */
export function page(title: string, body: string): string {
  return `<!DOCTYPE html><html><head><title>${title} - Jenkins</title></head><body><h1>${title}</h1>${body}</body></html>`;
}

/** A header holds Latin-1 only. */
function toLatin1(text: string): string {
  return text.replaceAll(/[^\u0020-\u00ff]/g, '?');
}
