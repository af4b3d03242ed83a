/** Formats a time as Kubernetes writes it in metadata: RFC 3339, UTC, whole seconds. */
export function kubeTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
