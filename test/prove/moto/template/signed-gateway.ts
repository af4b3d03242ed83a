import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { AwsServiceError } from '../../../support/aws/aws-service-error.ts';
import { checkSignature } from '../../../support/aws/request-signature.ts';
import { listen } from '../../../support/listen.ts';
import { answerAs } from './pass-on.ts';

/** The credentials that requests must be signed with. */
export interface SigningIdentity {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

/** A gateway that accepts only signed requests, like API Gateway's IAM authorizer. */
export interface SignedGateway extends AsyncDisposable {
  url: string;
  port: number;
  refused: number;
}

/** Starts the gateway. @param answer answers a signed request */
export async function startSignedGateway(
  identity: SigningIdentity,
  answer: (request: IncomingMessage, body: Buffer) => Promise<Response>,
): Promise<SignedGateway> {
  const server = createServer((request, response) => void respond(request, response));
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const isSigned = await isSignedBy(identity, request, body);
    if (!isSigned) gateway.refused += 1;
    const answered = isSigned ? answer(request, body) : Response.json({ message: 'Forbidden' }, { status: 403 });
    await answerAs(response, await answered);
  }
  const { url, port, stop } = await listen(server);
  const gateway: SignedGateway = { url, port, refused: 0, [Symbol.asyncDispose]: stop };
  return gateway;
}

/** Whether this caller has signed the request, with its host, its date and the session's token. */
async function isSignedBy(identity: SigningIdentity, request: IncomingMessage, body: Buffer): Promise<boolean> {
  const { authorization = '', 'x-amz-security-token': token } = request.headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const hasAll = ['host', 'x-amz-date', 'x-amz-security-token'].every((name) => names.includes(name));
  const isOfCaller = authorization.includes(` Credential=${identity.accessKeyId}/`) && token === identity.sessionToken;
  if (!hasAll || !isOfCaller) return false;
  try {
    await checkSignature(request, body, identity.secretAccessKey);
    return true;
  } catch (error) {
    if (error instanceof AwsServiceError) return false;
    throw error;
  }
}
