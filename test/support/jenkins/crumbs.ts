import { randomBytes } from 'node:crypto';
import { type Answer, httpError, type Refusal } from './answers.ts';

const crumb = randomBytes(16).toString('hex');
const session = `JSESSIONID.1a2b=${randomBytes(8).toString('hex')}`;

/** The answer of `/crumbIssuer/api/json`: a crumb is of the session that it was issued in. @see hudson.security.csrf.DefaultCrumbIssuer */
export const issued: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json;charset=utf-8', 'set-cookie': `${session}; Path=/; HttpOnly` },
  body: JSON.stringify({ crumb, crumbRequestField: 'Jenkins-Crumb' }),
};

/** Says whether a request has the crumb of its session. */
export function hasCrumb(headers: Headers): boolean {
  return headers.get('jenkins-crumb') === crumb && headers.get('cookie') === session;
}

/** @see hudson.security.csrf.CrumbFilter */
export function noCrumb(): Refusal {
  return httpError(403, 'No valid crumb was included in the request');
}
