import * as z from 'zod';

/** The start message for a davit in a separate process. */
export const DavitStart = z.object({
  /** In the form of davit.yaml. */
  config: z.unknown(),
  /** The path of davit's kubeconfig for all clusters. */
  kubeconfigPath: z.string(),
  stateDirectory: z.string(),
  listen: z.object({ host: z.string(), port: z.int() }),
  secrets: z.record(z.string(), z.string()),
  sweepIntervalMs: z.int(),
  reconcileIntervalMs: z.int(),
});
export type DavitStart = z.infer<typeof DavitStart>;

/** Its message when it is ready. */
export const Ready = z.object({ url: z.string() });
export type Ready = z.infer<typeof Ready>;
