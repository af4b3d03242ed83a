import * as z from 'zod';

/** A GitHub in which davit acts. */
const ActingGithub = z.object({ url: z.string(), token: z.string() });
export type ActingGithub = z.infer<typeof ActingGithub>;

/** The start message of a process of the burst. */
export const BurstStart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sandbox'), directory: z.string() }),
  z.object({
    kind: z.literal('davit'),
    directory: z.string(),
    kubeconfig: z.string(),
    /** @default davit takes GitHub's webhooks, and acts nowhere */
    github: ActingGithub.optional(),
  }),
  z.object({ kind: z.literal('bare'), directory: z.string() }),
]);
export type BurstStart = z.infer<typeof BurstStart>;

/**
 * A process's messages: its address once it is ready; then the name of each launch or execution that begins, and of each
 * launch that has its token or execution that ended.
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
export const BareReady = z.object({
  dynamoDbUrl: z.string(),
  stepFunctionsUrl: z.string(),
  stateMachineArn: z.string(),
});
