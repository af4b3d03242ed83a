/** The time as Kubernetes writes it in metadata: RFC 3339, UTC, whole seconds. */
export const kubeTime = (epochMs: number): string => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
