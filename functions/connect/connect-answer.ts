import type { CompletedToken } from '../domain/completed-token.ts';
import type { HttpAnswer } from '../http/answer.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { HttpRequest } from '../http/request.ts';
import { shellAssignments } from './shell-assignments.ts';

const shellScript = 'text/x-shellscript';

/**
 * Answers an agent with its token, and with what it needs to join its CI system: as JSON, or as assignments for a shell if
 * the agent asks by `?as=env` or `Accept: text/x-shellscript`.
 *
 * @param environment what the agent's runner needs, by the names of variables; its values are secrets
 */
export function connectAnswer(
  { query, headers }: Pick<HttpRequest, 'query' | 'headers'>,
  token: CompletedToken,
  environment: Readonly<Record<string, string>>,
): HttpAnswer {
  const wantsShell = query['as'] === 'env' || (headers['accept'] ?? '').split(/[,;]/)[0]?.trim() === shellScript;
  if (!wantsShell) return jsonAnswer(200, Object.keys(environment).length === 0 ? token : { ...token, environment });
  const { headers: common, ...answer } = jsonAnswer(200, {});
  return {
    ...answer,
    headers: { ...common, 'content-type': `${shellScript}; charset=utf-8` },
    body: shellAssignments({ ...tokenVariables(token), ...environment }),
  };
}

function tokenVariables(token: CompletedToken): Record<string, string> {
  return {
    DAVIT_AGENT_NAME: token.agentName,
    DAVIT_LAUNCH_ID: token.launchId,
    DAVIT_HOST: token.host,
    DAVIT_PORT: `${token.port}`,
    DAVIT_TLS: `${token.tls}`,
    DAVIT_PUBLISHED_AT: token.publishedAt,
    DAVIT_EXPIRES_AT: token.expiresAt,
  };
}
