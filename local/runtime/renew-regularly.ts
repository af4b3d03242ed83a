/** Often enough for credentials that last for some minutes. */
const intervalMs = 60_000;

/** Renews something every minute until it is disposed of. A renewal that fails is told, and made again a minute later. */
export function renewRegularly(renew: () => Promise<void>): Disposable {
  const timer = setInterval(() => {
    renew().catch((error: unknown) => console.error(`the kubeconfig could not be renewed: ${String(error)}`));
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
