import type { AwsSettings } from '../../adapters/aws/client-settings.ts';
import { createInvokeLater, createLambdaClient } from '../../adapters/aws/invoke-later.ts';
import type { InvokedEvents } from '../../core/invoked-events.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import { namesInLambda } from '../environment.ts';

/** Composes the invocations of these functions, from the environment. */
export function composeInvokeLater<Name extends keyof InvokedEvents>(
  functions: readonly Name[],
  settings?: AwsSettings,
): InvokeLater<Name> {
  return createInvokeLater({ client: createLambdaClient(settings), functionNames: namesInLambda(functions) });
}
