import { isNativeError } from 'node:util/types';

// Jest runs a test in a realm of its own, where `instanceof Error` is false for the errors of Node's own modules. The
// AWS SDK asks that of each error, and wraps what is none, so that a test would see other errors than a function does.
const isInstance = Function.prototype[Symbol.hasInstance];
Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, error: unknown): boolean {
    return this === Error ? isNativeError(error) : isInstance.call(this, error);
  },
});
