import { registerHooks } from 'node:module';

/** davit invokes functions itself, and `npm run check` validates its definition. */
const unused = new Set(['@aws-sdk/client-lambda', '@aws-sdk/credential-providers', 'asl-validator']);
const url = new URL('./unused-packages.ts', import.meta.url).href;

const hooks = registerHooks({
  resolve: (specifier, context, nextResolve) =>
    unused.has(specifier) && context.parentURL?.includes('/aws-local-stepfunctions/')
      ? { url, shortCircuit: true }
      : nextResolve(specifier, context),
});

/** The engine of the state machine, without the packages above: they would take most of the time that it loads. */
export const { ExecutionError, StateMachine } = await import('aws-local-stepfunctions');

hooks.deregister();
