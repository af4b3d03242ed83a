/** Often enough for credentials that last for some minutes. */
const intervalMs = 60_000;

/**
 * Renews secrets every minute until the caller disposes of it. Reports a failed renewal, and repeats it a minute later.
 *
 * @param names the names of the secrets, for the report
 */
export function renewRegularly(names: readonly string[], renew: () => Promise<void>): Disposable {
  const timer = setInterval(() => {
    renew().catch((error: unknown) =>
      console.error(`the secret ${names.join(', ')} could not be renewed: ${String(error)}`),
    );
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
