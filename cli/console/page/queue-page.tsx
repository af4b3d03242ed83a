import { useMemo } from 'preact/hooks';
import { api, type JobList, keepAnswers, type QueuedJob } from './api.ts';
import { useNow, usePolled } from './hooks.ts';
import { LiveNote, Title } from './parts.tsx';
import { hrefOf } from './route.ts';
import { agoWords, linkOf } from './words.ts';

const everyMs = 2000;
const mostJobs = 100;

/** The queued jobs, oldest first, each with the reason why it waits. */
export function QueuePage() {
  const kept = useMemo(() => keepAnswers<JobList>(), []);
  const polled = usePolled(
    () => kept.read('jobs', (header) => api.GET('/jobs', { params: { query: { limit: mostJobs }, header } })),
    everyMs,
    [],
  );
  const { value } = polled;
  const now = useNow();
  return (
    <main>
      <div class="bar">
        <Title>Queue</Title>
        <LiveNote of={polled} now={now} />
      </div>
      {value === undefined ? null : <Jobs list={value} now={now} />}
    </main>
  );
}

function Jobs({ list: { jobs, cursor }, now }: { list: JobList; now: number }) {
  if (jobs.length === 0) return <p>No job that davit knows of is queued.</p>;
  return (
    <>
      <section class="card scroll queue" tabIndex={0} aria-label="Queued jobs">
        <table>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">Profile</th>
              <th scope="col">Queued for</th>
              <th scope="col">What holds it</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <Row key={job.jobKey} job={job} now={now} />
            ))}
          </tbody>
        </table>
      </section>
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

function Row({ job, now }: { job: QueuedJob; now: number }) {
  const { name, repository, workflow, url, profile, labels, queuedAt, seenAt, waitsFor, launch } = job;
  const link = linkOf(url);
  return (
    <tr>
      <th scope="row">
        {link === undefined ? (
          name
        ) : (
          <a href={link} rel="noreferrer" target="_blank">
            {name}
          </a>
        )}
        <small>{[repository, workflow].filter((part) => part !== undefined).join(' · ')}</small>
      </th>
      <td>
        {profile ?? 'none'}
        <small>{labels.join(', ')}</small>
      </td>
      <td>
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
