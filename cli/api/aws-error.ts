import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';

/**
 * Turns an error of AWS's SDK into one for a person.
 *
 * @param what what failed: `the stack Davit`
 * @param needed the permissions that the call needs
 */
export function awsError(what: string, needed: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (message === 'Region is missing') {
    const problem = `the AWS region of ${what} is not known`;
    return new CliError('usage', 'region-missing', problem, 'Name it: --region eu-central-1, or AWS_REGION.', error);
  }
  const words = `${what}: ${wordsOf(error)}`;
  if (/Credential|AccessDenied|ExpiredToken|InvalidClientToken|InvalidAccessKey|UnrecognizedClient/.test(name)) {
    const advice = `It needs credentials of AWS that may call ${needed}: see \`aws sts get-caller-identity\`.`;
    return new CliError('refused', name, words, advice, error);
  }
  const isOfClient = error instanceof Error && '$fault' in error && error.$fault === 'client';
  if (isOfClient && !/Throttl|TooManyRequests/.test(name)) return new CliError('failed', name, words, undefined, error);
  const code = name === 'Error' ? 'aws-unreachable' : name;
  return new CliError('unreachable', code, words, 'AWS did not answer as expected. Repeating is safe.', error);
}

/** Waits for a call of AWS. @throws CliError as awsError */
export async function calling<Result>(what: string, needed: string, call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw awsError(what, needed, error);
  }
}
