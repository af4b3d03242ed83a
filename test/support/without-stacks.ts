/**
 * Makes no stacks while the tests of a file run: simulated worlds throw thousands of errors, and a quarter of their time would go
 * to stacks that nobody reads.
 */
export function withoutStacks(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}
