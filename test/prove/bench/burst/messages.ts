import * as z from 'zod';

/** A GitHub in which davit acts. */
const ActingGithub = z.object({ url: z.string(), token: z.string() });
export type ActingGithub = z.infer<typeof ActingGithub>;

/** What containers of an image run, by its reference. */
const Images = z.record(z.string(), z.object({ command: z.array(z.string()), env: z.record(z.string(), z.string()) }));

/** The start message of a process of the burst. */
export const BurstStart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sandbox'), directory: z.string(), images: z.optional(Images) }),
  z.object({ kind: z.literal('local'), directory: z.string(), kubeconfig: z.string() }),
  z.object({ kind: z.literal('aws'), directory: z.string(), kubeconfig: z.string(), github: ActingGithub }),
  z.object({ kind: z.literal('bare'), directory: z.string() }),
]);
export type BurstStart = z.infer<typeof BurstStart>;

/**
 * A process's messages: its address once it is ready; then the name of each launch that begins, and of each that has its
 * token.
 */
export const BurstMessage = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('ready') }),
  z.object({ type: z.enum(['begun', 'launched']), name: z.string() }),
]);
export type BurstMessage = z.infer<typeof BurstMessage>;

/** A message to a process: the calls that AWS throttles from now on. */
export const BurstOrder = z.object({ throttled: z.array(z.string()) });
export type BurstOrder = z.infer<typeof BurstOrder>;

export const SandboxReady = z.object({ kubeconfig: z.string() });
export const DavitReady = z.object({ url: z.string(), webhookSecret: z.string() });
export const BareReady = z.object({ url: z.string() });
