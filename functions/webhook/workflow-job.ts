import { wellFormed } from '../domain/well-formed.ts';
import * as z from '../zod.ts';

const Id = z.int().check(z.positive());

/**
 * The part of GitHub's `workflow_job` event that davit reads. Older GitHub Enterprise Servers send no `run_attempt`. A
 * malformed link refuses no job: only people follow it.
 *
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_job
 */
export const WorkflowJobEvent = z.object({
  action: z.string(),
  repository: z.object({ id: Id }),
  workflow_job: z.object({
    id: Id,
    run_attempt: z.withDefault(z.int().check(z.positive(), z.lte(1_000_000)), 1),
    labels: z.array(z.string()),
    conclusion: z.nullish(z.string().check(wellFormed)),
    html_url: z.withFallback(
      z.optional(z.url({ protocol: /^https?$/ }).check(z.maxLength(2048), wellFormed)),
      undefined,
    ),
  }),
});
export type WorkflowJobEvent = z.infer<typeof WorkflowJobEvent>;
