import { useMemo } from 'preact/hooks';
import { durationWords } from '../../view/duration.ts';
import { isOver, longestOf, phasesOf } from '../../view/phases.ts';
import { timelineOf } from '../../view/timeline.ts';
import { api, keepAnswers, type Launch } from './api.ts';
import { EndLaunch } from './end-launch.tsx';
import { useNow, usePolled } from './hooks.ts';
import { Fact, Line, LiveNote, StatusBadge, Title, wordsOf } from './parts.tsx';
import { hrefOf } from './route.ts';
import { agoWords, linkOf, originOf, titleOf, waitOf } from './words.ts';

const everyMs = 1000;

/** One launch: its timeline, the reason for its wait, and the reason for its failure. */
export function LaunchPage({ launchId }: { launchId: string }) {
  const kept = useMemo(() => keepAnswers<Launch>(), [launchId]);
  const polled = usePolled(
    () => kept.read(launchId, (header) => api.GET('/launches/{launchId}', { params: { path: { launchId }, header } })),
    everyMs,
    [launchId],
  );
  const { value, refresh } = polled;
  const now = useNow();
  return (
    <main>
      <div class="bar">
        <Title>{value === undefined ? launchId : titleOf(value)}</Title>
        <LiveNote of={polled} now={now} />
      </div>
      {value === undefined ? null : <LaunchBody launch={value} now={now} onEnded={refresh} />}
    </main>
  );
}

function LaunchBody({ launch, now, onEnded }: { launch: Launch; now: number; onEnded: () => void }) {
  const { launchId, status, agentName, plan, job } = launch;
  const link = linkOf(job?.url ?? plan?.sourceUrl);
  return (
    <>
      <dl class="facts">
        <Fact name="Status">
          <StatusBadge status={status} />
        </Fact>
        <Fact name="Launch">{launchId}</Fact>
        <Fact name="Agent">{agentName}</Fact>
        {plan === undefined ? null : <Fact name="Profile">{plan.profile}</Fact>}
        {plan === undefined ? null : (
          <Fact name="Cluster">
            <a href={hrefOf('clusters', plan.cluster)}>{plan.cluster}</a>, namespace {plan.namespace}
          </Fact>
        )}
        {originOf(launch) === '' ? null : <Fact name="From">{originOf(launch)}</Fact>}
        {link === undefined ? null : (
          <Fact name="Job">
            <a href={link} rel="noreferrer" target="_blank">
              {link}
            </a>
          </Fact>
        )}
      </dl>
      <NowSection launch={launch} now={now} />
      <LifeSection launch={launch} now={now} />
      <FailureSection launch={launch} />
      <EndLaunch launch={launch} onEnded={onEnded} />
    </>
  );
}

function NowSection({ launch, now }: { launch: Launch; now: number }) {
  const { what, detail, since, means, advice } = waitOf(launch);
  return (
    <section class="card" aria-labelledby="now">
      <h2 id="now">Now</h2>
      <p class="wait">
        {isOver(launch) ? `${what} ${agoWords(since, now)} ago.` : `${what}, for ${agoWords(since, now)}.`}
      </p>
      {detail === undefined ? null : <p class="words">{detail}</p>}
      {means === undefined ? null : <p>{means}</p>}
      {advice === undefined ? null : (
        <p>
          <strong>What to do:</strong> {advice}
        </p>
      )}
    </section>
  );
}

function LifeSection({ launch, now }: { launch: Launch; now: number }) {
  const phases = phasesOf(launch, now);
  const moments = timelineOf(launch);
  const longest = longestOf(phases)?.phase;
  const firstAt = Date.parse(moments[0]?.at ?? launch.requestedAt);
  return (
    <section class="card" aria-labelledby="life">
      <h2 id="life">Its life</h2>
      <Line phases={phases} label={phases.map(wordsOf).join(', ')} />
      <ul class="legend">
        {phases.map((phase, index) => (
          <li key={index}>
            <span class={`key phase ${phase.name}`} aria-hidden="true" /> {wordsOf(phase)}
            {phase === longest ? <strong>, the longest without an agent</strong> : null}
          </li>
        ))}
      </ul>
      <ol class="moments">
        {moments.map(({ at, what }, index) => (
          <li key={`${at} ${what}`}>
            <DayChange at={at} before={moments[index - 1]?.at ?? new Date(now).toISOString()} />
            <time dateTime={at} title={at}>
              {new Date(at).toLocaleTimeString()}
            </time>
            <span class="since">+{durationWords(Date.parse(at) - firstAt)}</span>
            <span class="what">{what}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The day of a moment, unless it is that of the moment before; the first of today needs none. */
function DayChange({ at, before }: { at: string; before: string }) {
  return dayOf(at) === dayOf(before) ? null : <span class="day">{dayOf(at)}</span>;
}

function dayOf(at: string): string {
  return new Date(at).toLocaleDateString(undefined, { dateStyle: 'full' });
}

function FailureSection({ launch: { ending, diagnostics, generations = [] } }: { launch: Launch }) {
  if (ending === undefined && generations.length === 0) return null;
  return (
    <section class="card" aria-labelledby="why">
      <h2 id="why">
        {ending === undefined ? 'Lost agents' : ending.outcome === 'failed' ? 'Why it failed' : 'Why it ended'}
      </h2>
      {ending === undefined ? null : (
        <>
          <p>
            <code>{ending.code}</code> by {ending.by}
            {ending.actor === undefined ? '' : ` (${ending.actor.name})`}: <span class="words">{ending.message}</span>
          </p>
          {ending.means === undefined ? null : <p>{ending.means}</p>}
          {ending.advice === undefined || ending.outcome !== 'failed' ? null : (
            <p>
              <strong>What to do:</strong> {ending.advice}
            </p>
          )}
        </>
      )}
      {generations.map(({ agentName, code, message, advice }) => (
        <p key={agentName}>
          Lost before: {agentName}, <code>{code}</code>: {message} {advice}
        </p>
      ))}
      {diagnostics === undefined ? null : <Diagnostics diagnostics={diagnostics} />}
    </section>
  );
}

function Diagnostics({ diagnostics: { events, log, unread } }: { diagnostics: NonNullable<Launch['diagnostics']> }) {
  return (
    <>
      {events.length === 0 ? null : (
        <div class="scroll" tabIndex={0} role="region" aria-labelledby="events">
          <table>
            <caption id="events">Events of its Pod</caption>
            <thead>
              <tr>
                <th scope="col">Type</th>
                <th scope="col">Reason</th>
                <th scope="col">Count</th>
                <th scope="col">Message</th>
              </tr>
            </thead>
            <tbody>
              {events.map(({ type, reason, count, message }) => (
                <tr key={`${reason} ${message}`}>
                  <td>{type}</td>
                  <td>{reason}</td>
                  <td>{count}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {log === undefined ? null : (
        <>
          <h3 id="log">The end of the log of {log.container}</h3>
          <pre tabIndex={0} role="region" aria-labelledby="log">
            {log.text}
          </pre>
        </>
      )}
      {unread.map((what) => (
        <p key={what}>Not read: {what}</p>
      ))}
    </>
  );
}
