import { useEffect, useMemo } from 'preact/hooks';
import { refusedAdvice } from '../../view/explanation.ts';
import { api, type JobList, keepAnswers, type QueuedJob } from './api.ts';
import { useNow, usePolled } from './hooks.ts';
import { JobLink, LivePage, Table, WhatToDo } from './parts.tsx';
import { hrefOf } from './route.ts';
import { agoWords, linkOf } from './words.ts';

const everyMs = 2000;
const mostJobs = 100;

type Reason = QueuedJob['waitsFor']['reason'];

/** What the jobs of each group wait for. Those that need somebody are first. */
const reasonWords: Readonly<Record<Reason, string>> = {
  NoProfile: 'No profile takes them',
  NotRequested: 'No agent has been requested',
  Limit: 'A limit is full',
  AgentEnded: 'Their agent has ended',
  AgentTaken: 'Their agent runs another job',
  AgentLaunching: 'Their agent starts',
  AgentConnected: 'Their agent is connected',
  OtherJob: 'Another job or an approval comes first',
};

/** The queued jobs, grouped by what they wait for. @param of the group to show first */
export function QueuePage({ of }: { of: string | undefined }) {
  const kept = useMemo(() => keepAnswers<JobList>(), []);
  const polled = usePolled(
    () => kept.read('jobs', (header) => api.GET('/jobs', { params: { query: { limit: mostJobs }, header } })),
    everyMs,
    [],
  );
  const { value } = polled;
  const now = useNow();
  const isRead = value !== undefined;
  useEffect(() => {
    if (of !== undefined && isRead) document.getElementById(`group-${of}`)?.scrollIntoView();
  }, [of, isRead]);
  return (
    <LivePage title="Queue" of={polled} now={now}>
      {value === undefined ? null : (
        <>
          <Refused list={value} now={now} />
          <Groups list={value} now={now} />
        </>
      )}
    </LivePage>
  );
}

function Refused({ list: { refusedWebhooks = [] }, now }: { list: JobList; now: number }) {
  if (refusedWebhooks.length === 0) return null;
  return (
    <section class="card" aria-labelledby="group-refused">
      <h2 id="group-refused" class="trouble">
        davit refuses webhooks
      </h2>
      {refusedWebhooks.map(({ ciSystem, count, since, lastAt, why }) => (
        <p key={ciSystem}>
          <strong>
            {count} of {ciSystem}
          </strong>{' '}
          since {new Date(since).toLocaleTimeString()}, the last one {agoWords(lastAt, now)} ago:{' '}
          <span class="words">{why}</span>
        </p>
      ))}
      <WhatToDo advice={refusedAdvice} />
    </section>
  );
}

function Groups({ list: { jobs, cursor }, now }: { list: JobList; now: number }) {
  if (jobs.length === 0) return <p>No job that davit knows of is queued.</p>;
  const groups = Map.groupBy(jobs, ({ waitsFor }) => waitsFor.reason);
  return (
    <>
      {Object.entries(reasonWords).map(([reason, words]) => {
        const group = groups.get(reason as Reason) ?? [];
        return group.length === 0 ? null : <Group key={reason} reason={reason} words={words} jobs={group} now={now} />;
      })}
      <p>
        {cursor === undefined ? (
          `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}`
        ) : (
          <>
            The oldest {jobs.length} jobs; there are more. <code>davit jobs --limit 2000</code> lists them.
          </>
        )}
      </p>
    </>
  );
}

interface GroupProps {
  reason: string;
  words: string;
  jobs: readonly QueuedJob[];
  now: number;
}

function Group({ reason, words, jobs, now }: GroupProps) {
  const id = `group-${reason}`;
  return (
    <section class="card scroll queue" tabIndex={0} aria-labelledby={id}>
      <h2 id={id}>
        {words} <small>{jobs.length === 1 ? '1 job' : `${jobs.length} jobs`}, oldest first</small>
      </h2>
      <Table columns={['Job', 'Profile', 'Queued for', 'Waits for']}>
        {jobs.toSorted(byAge).map((job) => (
          <Row key={job.jobKey} job={job} now={now} />
        ))}
      </Table>
    </section>
  );
}

function byAge(one: QueuedJob, other: QueuedJob): number {
  return Date.parse(one.queuedAt ?? one.seenAt) - Date.parse(other.queuedAt ?? other.seenAt);
}

function Row({ job, now }: { job: QueuedJob; now: number }) {
  const { name, repository, workflow, url, profile, labels, queuedAt, seenAt, waitsFor, launch } = job;
  return (
    <tr>
      <th scope="row">
        <JobLink to={linkOf(url)}>{name}</JobLink>
        <small>{[repository, workflow].filter((part) => part !== undefined).join(' · ')}</small>
      </th>
      <td data-label="Profile">
        {profile ?? 'none'}
        <small>{labels.join(', ')}</small>
      </td>
      <td data-label="Queued for">
        <time dateTime={queuedAt ?? seenAt}>{agoWords(queuedAt ?? seenAt, now)}</time>
      </td>
      <td>
        {waitsFor.detail}
        {launch === undefined ? null : (
          <small>
            <a href={hrefOf('launches', launch.launchId)}>{launch.agentName}</a>, {launch.status}
          </small>
        )}
      </td>
    </tr>
  );
}
