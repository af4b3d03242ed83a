import { useMemo } from 'preact/hooks';
import { causesOf } from '../../view/causes.ts';
import { durationWords, exactDurationWords } from '../../view/duration.ts';
import { needsSomebody } from '../../view/why.ts';
import type { ClusterSummary, Launch, Status } from './api.ts';
import { CauseList } from './cause-list.tsx';
import { type Polled, useNow, usePolled } from './hooks.ts';
import { Lanes } from './lanes.tsx';
import { createOverviewReader, type Overview } from './overview.ts';
import { LivePage } from './parts.tsx';
import { hrefOf } from './route.ts';

const everyMs = 3000;

/** The first page: what is wrong, and what happens now. */
export function NowPage({ clusters }: { clusters: Polled<readonly ClusterSummary[]> }) {
  const read = useMemo(() => createOverviewReader(), []);
  const polled = usePolled(read, everyMs, []);
  const now = useNow();
  const { value } = polled;
  return (
    <LivePage title="Now" of={polled} now={now}>
      {value === undefined ? null : (
        <>
          <Numbers overview={value} clusters={clusters.value ?? []} now={now} />
          <Attention overview={value} now={now} />
          <Lanes launches={value.latest} now={now} />
        </>
      )}
    </LivePage>
  );
}

interface Figure {
  count: string;
  words: string;
  href: string;
  mood?: 'bad' | 'warn' | undefined;
}

function Numbers({
  overview,
  clusters,
  now,
}: {
  overview: Overview;
  clusters: readonly ClusterSummary[];
  now: number;
}) {
  return (
    <ul class="numbers" aria-label="Numbers">
      {figuresOf(overview, clusters, now).map(({ count, words, href, mood }) => (
        <li key={words}>
          <a href={href} class={mood}>
            <strong>{count}</strong> <span>{words}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function figuresOf(overview: Overview, clusters: readonly ClusterSummary[], now: number): Figure[] {
  const { failed, launching, jobs, refusedWebhooks, hasMore } = overview;
  const waiting = launching.filter((launch) => needsSomebody(launch, now));
  const homeless = jobs.filter(({ waitsFor }) => waitsFor.reason === 'NoProfile').length;
  const queued = jobs.length - homeless;
  const away = clusters.filter(({ connected, removed }) => connected === false && removed === undefined).length;
  const refused = refusedWebhooks.reduce((sum, { count }) => sum + count, 0);
  const running = clusters.reduce((sum, { launches }) => sum + launches.connected, 0);
  return [
    {
      count: plus(failed.length, hasMore.failed),
      words: 'failed in the last hour',
      href: launchesOf('failed'),
      mood: unlessNone(failed.length, 'bad'),
    },
    {
      count: plus(waiting.length, hasMore.launching),
      words: `in trouble${oldestWords(waiting, now)}`,
      href: launchesOf('launching'),
      mood: unlessNone(waiting.length, 'warn'),
    },
    {
      count: plus(launching.length, hasMore.launching),
      words: `launching${medianWords(overview.latest)}`,
      href: launchesOf('launching'),
    },
    { count: `${running}`, words: 'running', href: launchesOf('connected') },
    { count: plus(queued, hasMore.jobs), words: queued === 1 ? 'job queued' : 'jobs queued', href: hrefOf('queue') },
    {
      count: `${homeless}`,
      words: homeless === 1 ? 'job that no profile takes' : 'jobs that no profile takes',
      href: hrefOf('queue', 'NoProfile'),
      mood: unlessNone(homeless, 'warn'),
    },
    {
      count: `${refused}`,
      words: refused === 1 ? 'webhook refused' : 'webhooks refused',
      href: hrefOf('queue', 'refused'),
      mood: unlessNone(refused, 'bad'),
    },
    {
      count: `${away}`,
      words: away === 1 ? 'cluster disconnected' : 'clusters disconnected',
      href: hrefOf('clusters'),
      mood: unlessNone(away, 'bad'),
    },
  ];
}

function launchesOf(status: Status): string {
  return hrefOf('launches', '', new URLSearchParams({ status }));
}

function unlessNone(count: number, mood: Figure['mood']): Figure['mood'] {
  return count > 0 ? mood : undefined;
}

function plus(count: number, hasMore: boolean): string {
  return hasMore ? `${count}+` : `${count}`;
}

function oldestWords(waiting: readonly Launch[], now: number): string {
  const oldest = Math.min(...waiting.map(({ requestedAt }) => Date.parse(requestedAt)));
  return waiting.length === 0 ? '' : `, oldest ${durationWords(now - oldest)}`;
}

/** How long half of the latest agents took at most, from the request to their connection. */
function medianWords(launches: readonly Launch[]): string {
  const times = launches
    .flatMap(({ requestedAt, connectedAt }) =>
      connectedAt === undefined ? [] : [Date.parse(connectedAt) - Date.parse(requestedAt)],
    )
    .toSorted((one, other) => one - other);
  const median = times[Math.floor((times.length - 1) / 2)];
  return median === undefined ? '' : `, usually ${exactDurationWords(median)}`;
}

function Attention({ overview, now }: { overview: Overview; now: number }) {
  const causes = causesOf(overview, now);
  return (
    <section class="card" aria-labelledby="attention">
      <h2 id="attention">
        Needs somebody {causes.length === 0 ? null : <small>grouped by cause, failures first</small>}
      </h2>
      {causes.length === 0 ? (
        <p>Nothing: no launch failed in the last hour, and nothing waits for longer than usual.</p>
      ) : (
        <CauseList causes={causes} now={now} />
      )}
    </section>
  );
}
