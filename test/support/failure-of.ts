/** Makes the data that Catch adds to an execution whose step threw an error. */
export function failureOf(error: Error): { Error: string; Cause: string } {
  const Cause = JSON.stringify({ errorType: error.name, errorMessage: error.message, trace: ['at step.ts:1'] });
  return { Error: error.name, Cause };
}
