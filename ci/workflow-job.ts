import { longestJobText, type ReadJob } from '../core/job/job-record.ts';
import { mostAttempts } from '../core/launch/names.ts';
import { present } from '../core/present.ts';
import { wellFormed } from '../core/well-formed.ts';
import * as z from '../core/zod.ts';
import { Problem } from '../runtime/http/problem.ts';
import { checkInput, parseJson } from '../runtime/http/read-json.ts';
import type { ReadEvent } from './event-reader.ts';

const Id = z.int().check(z.positive());
/** A part of a record's key. */
const Name = z.string().check(z.maxLength(longestJobText), wellFormed);
/** A name that no record can do without. */
const RequiredName = Name.check(z.minLength(1));
/** A text for people, which `seenJobOf` shortens. */
const Text = z.string().check(wellFormed);

/** A malformed link refuses no job: only people follow it. */
const Link = z.withFallback(
  z.optional(z.url({ protocol: /^https?$/ }).check(z.maxLength(2048), wellFormed)),
  undefined,
);

/** A moment; undefined for an invalid time, and for the zero times of 1970 and of the year 1. */
const Moment = z.withFallback(
  z.pipe(
    z.nullish(z.string()),
    z.transform((text) => {
      const epochMs = Date.parse(text ?? '');
      return epochMs > 0 ? epochMs : undefined;
    }),
  ),
  undefined,
);

/**
 * The part of the `workflow_job` event that davit reads, as GitHub and Gitea send it. Older GitHub Enterprise Servers
 * send no `run_attempt`. Before 1.27, Gitea counts the attempts of waiting jobs from 0.
 *
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_job
 */
export const WorkflowJobEvent = z.object({
  action: z.enum(['waiting', 'queued', 'in_progress', 'completed']),
  repository: z.object({ id: Id, name: RequiredName, owner: z.object({ login: RequiredName }) }),
  organization: z.nullish(z.object({ login: z.optional(Name), username: z.optional(Name) })),
  workflow_job: z.object({
    id: Id,
    run_id: z.optional(Id),
    run_attempt: z.withDefault(z.int().check(z.gte(0), z.lte(mostAttempts)), 1),
    name: z.withDefault(Text, ''),
    workflow_name: z.nullish(Text),
    labels: z.nullable(z.array(z.string())),
    head_sha: z.nullish(Text),
    html_url: Link,
    conclusion: z.nullish(Text),
    runner_id: z.nullish(z.int()),
    runner_name: z.nullish(Text),
    created_at: Moment,
    started_at: Moment,
    completed_at: Moment,
  }),
});
export type WorkflowJobEvent = z.infer<typeof WorkflowJobEvent>;

const Action = z.object({ action: z.string() });

type SentJob = WorkflowJobEvent['workflow_job'];

/** What a system's events say in a way of its own: the attempt, which counts from 1, and when it was queued. */
export type OwnFields = Pick<ReadJob, 'attempt'> & { queuedAtEpochMs: number | undefined };

/**
 * Reads the text of a signed delivery.
 *
 * @param event the event's name, as the header says
 * @param ownFields reads what the system says in its own way
 * @throws Problem `body-malformed`, `request-invalid`
 */
export function readWorkflowJob(
  text: string,
  event: { header: string; name: string | undefined },
  ownFields: (job: SentJob) => OwnFields,
): ReadEvent {
  const { name } = event;
  if (name === undefined || !/^[a-z_]+$/.test(name)) {
    throw new Problem('request-invalid', { detail: `In the headers: ${event.header}: expected the name of one event` });
  }
  const payload = parseJson(text);
  if (name !== 'workflow_job') return { ignored: `davit does nothing for ${name} events` };
  const { action } = checkInput(Action, payload, 'body');
  if (!WorkflowJobEvent.shape.action.safeParse(action).success) {
    return { ignored: `davit does nothing for workflow_job ${action.slice(0, 40)}` };
  }
  const read = checkInput(WorkflowJobEvent, payload, 'body');
  return { job: jobOf(read, ownFields(read.workflow_job)) };
}

function jobOf({ action, repository, organization, workflow_job: job }: WorkflowJobEvent, own: OwnFields): ReadJob {
  const { runner_id: runnerId, runner_name: runnerName } = job;
  // For a queued job, GitHub sends its creation as the start.
  const hasStarted = action === 'in_progress' || action === 'completed';
  const { attempt, queuedAtEpochMs } = own;
  return {
    repositoryId: repository.id,
    jobId: job.id,
    attempt,
    status: action,
    repository: { owner: repository.owner.login, name: repository.name },
    name: job.name,
    // Gitea's list is null when it is empty.
    labels: job.labels ?? [],
    ...present({
      organization: organization?.login || organization?.username || undefined,
      runId: job.run_id,
      workflow: job.workflow_name ?? undefined,
      sha: job.head_sha ?? undefined,
      url: job.html_url,
      conclusion: job.conclusion ?? undefined,
      runner: runnerId ? { id: runnerId, name: runnerName ?? '' } : undefined,
      queuedAtEpochMs,
      startedAtEpochMs: hasStarted ? job.started_at : undefined,
      completedAtEpochMs: job.completed_at,
    }),
  };
}
