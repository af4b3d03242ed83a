import type { CompletedToken } from '../../core/launch/completed-token.ts';
import { type HttpAnswer, jsonAnswer } from '../../runtime/http/answer.ts';
import type { ConnectAnswer } from '../../runtime/http/answers.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { shellAssignments } from './shell-assignments.ts';

const shellScript = 'text/x-shellscript';

/**
 * Answers an agent with its token, and with the variables that it joins its CI system with. The answer is JSON, or
 * assignments for a shell if the agent asks with `?as=env` or `Accept: text/x-shellscript`.
 *
 * @param environment the variables that the agent's runner needs; their values are secrets
 */
export function tokenAnswer(
  { query, headers }: Pick<HttpRequest, 'query' | 'headers'>,
  token: CompletedToken,
  environment: Readonly<Record<string, string>>,
): HttpAnswer {
  const wantsShell = query['as'] === 'env' || headers['accept']?.split(/[,;]/)[0]?.trim() === shellScript;
  if (!wantsShell) {
    const answer: ConnectAnswer = Object.keys(environment).length === 0 ? token : { ...token, environment };
    return jsonAnswer(200, answer);
  }
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
