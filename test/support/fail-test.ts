/** Fails the test that reaches it. @throws Error with the reason */
export function failTest(reason: string): never {
  throw new Error(reason);
}
