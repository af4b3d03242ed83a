import * as z from '../zod.ts';

const Id = z.int().check(z.positive());

/**
 * What davit reads of GitHub's `workflow_job` event. Older GitHub Enterprise Servers send no `run_attempt`; a job is
 * not refused for its link, which only people follow.
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
    conclusion: z.nullish(z.string()),
    html_url: z.withFallback(z.optional(z.url({ protocol: /^https?$/ }).check(z.maxLength(2048))), undefined),
  }),
});
export type WorkflowJobEvent = z.infer<typeof WorkflowJobEvent>;
