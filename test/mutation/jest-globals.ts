import { vi } from 'vitest';

export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

/** The part of jest's own object that the tests use. */
export const jest = { setTimeout: (timeoutMs: number) => vi.setConfig({ testTimeout: timeoutMs }) };
