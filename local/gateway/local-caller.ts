import { userInfo } from 'node:os';
import type { APIGatewayEventRequestContextIAMAuthorizer } from 'aws-lambda';

/** The account of a davit that is in none. */
export const LOCAL_ACCOUNT_ID = '000000000000';

/**
 * The caller's identity, as API Gateway passes it on after IAM has authenticated the caller. Locally, only this machine's
 * user has the token of the run, so the caller is that user.
 */
export function localCaller(): APIGatewayEventRequestContextIAMAuthorizer {
  const name = userName();
  return {
    iam: {
      accessKey: 'local',
      accountId: LOCAL_ACCOUNT_ID,
      callerId: name,
      cognitoIdentity: null,
      principalOrgId: 'local',
      userArn: `arn:aws:iam::${LOCAL_ACCOUNT_ID}:user/${name}`,
      userId: name,
    },
  };
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
