import { useMemo } from 'preact/hooks';
import { capitalized } from '../../view/capitalized.ts';
import { explanationOf } from '../../view/explanation.ts';
import { isOver } from '../../view/phases.ts';
import { saidOf } from '../../view/said-of.ts';
import { limitWords, lookCommands, podWordsOf, whyOf } from '../../view/why.ts';
import { api, keepAnswers, type Launch } from './api.ts';
import { EndLaunch } from './end-launch.tsx';
import { useNow, usePolled } from './hooks.ts';
import { Diagnostics } from './launch-diagnostics.tsx';
import { TimelineSection } from './launch-timeline.tsx';
import { Advice, Badge, Fact, JobLink, LivePage, Unknown, WhatToDo } from './parts.tsx';
import { hrefOf } from './route.ts';
import { agoWords, linkOf, originOf, titleOf } from './words.ts';

const everyMs = 1000;

/** One launch: why it waits or failed, what to do, its log, the cluster's Events, and last its timeline. */
export function LaunchPage({ launchId }: { launchId: string }) {
  const kept = useMemo(() => keepAnswers<Launch>(), [launchId]);
  const polled = usePolled(
    () => kept.read(launchId, (header) => api.GET('/launches/{launchId}', { params: { path: { launchId }, header } })),
    everyMs,
    [launchId],
  );
  const { value, trouble, refresh } = polled;
  const now = useNow();
  if (value === undefined && trouble?.status === 404) {
    return (
      <Unknown title="There is no such launch">
        <p>
          davit knows no launch <code>{launchId}</code>. It forgets a launch after 14 days.{' '}
          <a href={hrefOf('launches')}>All launches</a>
        </p>
      </Unknown>
    );
  }
  return (
    <LivePage title={value === undefined ? launchId : titleOf(value)} of={polled} now={now}>
      {value === undefined ? null : <LaunchBody launch={value} now={now} onEnded={refresh} />}
    </LivePage>
  );
}

function LaunchBody({ launch, now, onEnded }: { launch: Launch; now: number; onEnded: () => void }) {
  const { launchId, status, agentName, plan, job, diagnostics } = launch;
  const link = linkOf(job?.url ?? plan?.sourceUrl);
  return (
    <>
      <dl class="facts">
        <Fact name="Status">
          <Badge of={status} />
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
            <JobLink to={link}>{link}</JobLink>
          </Fact>
        )}
      </dl>
      <WhySection launch={launch} now={now} />
      {diagnostics === undefined ? null : <Diagnostics diagnostics={diagnostics} />}
      <LostAgents launch={launch} />
      <EndLaunch launch={launch} onEnded={onEnded} />
      <TimelineSection launch={launch} now={now} />
    </>
  );
}

function WhySection({ launch, now }: { launch: Launch; now: number }) {
  const why = whyOf(launch, now);
  const { what, code, detail, since, means, advice } = why;
  const isFailed = launch.ending?.outcome === 'failed';
  const limit = limitWords(launch, now, (at) => new Date(at).toLocaleTimeString());
  const commands = lookCommands(launch);
  const podWords = podWordsOf(launch, why);
  const ago = agoWords(since, now);
  return (
    <section class="card" aria-labelledby="why">
      <h2 id="why">{isFailed ? 'Why it failed' : 'Now'}</h2>
      <p class="wait">
        {capitalized(what)}
        {isOver(launch) || isFailed ? ` ${ago} ago.` : `, for ${ago}.`}{' '}
        {code === undefined ? null : <code>{code}</code>}
      </p>
      {means === undefined ? null : <p>{means}</p>}
      {detail === undefined ? null : <p class="detail">{detail}</p>}
      <WhatToDo advice={advice} />
      {podWords === undefined ? null : (
        <p>
          <strong>The Pod says:</strong> <span class="words">{podWords}</span>
        </p>
      )}
      {limit === undefined ? null : <p>{limit}.</p>}
      {commands.length === 0 ? null : <p>To look at it:</p>}
      {commands.map((command) => (
        <pre key={command} class="command" tabIndex={0}>
          {command}
        </pre>
      ))}
    </section>
  );
}

/** The agents of this launch that infrastructure took before the present one. */
function LostAgents({ launch: { generations = [] } }: { launch: Launch }) {
  if (generations.length === 0) return null;
  return (
    <section class="card" aria-labelledby="lost">
      <h2 id="lost">Lost agents</h2>
      {generations.map(({ agentName, code, message, advice }) => (
        <p key={agentName}>
          {agentName}, <code>{code}</code>: <span class="words">{saidOf(message)}.</span>{' '}
          <Advice>{explanationOf(code).advice ?? advice ?? ''}</Advice>
        </p>
      ))}
    </section>
  );
}
