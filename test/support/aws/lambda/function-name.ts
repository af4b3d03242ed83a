import { LOCAL_ACCOUNT_ID } from '../../../../local/gateway/local-caller.ts';

/** The region that local ARNs carry. */
export const LOCAL_REGION = 'us-east-1';

/**
 * Returns the bare name of a FunctionName in Lambda's API: a name, a partial ARN or an ARN, each with or without a
 * qualifier.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export function functionNameOf(nameOrArn: string): string {
  const unqualified = /^(?:arn:aws[a-z-]*:lambda:)?(?:[a-z0-9-]+:)?(?:\d{12}:)?(?:function:)?([^:]+)(?::[^:]+)?$/;
  return unqualified.exec(nameOrArn)?.[1] ?? nameOrArn;
}

/** The ARN that a local function's context shows. */
export function functionArnOf(functionName: string): string {
  return `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:function:${functionName}`;
}
