import * as z from 'zod';

const Id = z.int().positive();

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
    run_attempt: z.int().positive().max(1_000_000).default(1),
    labels: z.array(z.string()),
    conclusion: z.string().nullish(),
    html_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .catch(undefined),
  }),
});
export type WorkflowJobEvent = z.infer<typeof WorkflowJobEvent>;
