import { durationWords, exactDurationWords } from '../../view/duration.ts';
import { longestOf, phasesOf } from '../../view/phases.ts';
import { timelineOf } from '../../view/timeline.ts';
import type { Launch } from './api.ts';
import { Line, wordsOf } from './parts.tsx';

/** Each phase of a launch with its duration, and each moment. */
export function TimelineSection({ launch, now }: { launch: Launch; now: number }) {
  const phases = phasesOf(launch, now);
  const moments = timelineOf(launch);
  const longest = longestOf(phases)?.phase;
  const firstAt = Date.parse(moments[0]?.at ?? launch.requestedAt);
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <Line phases={phases} label={phases.map(wordsOf).join(', ')} />
      <ul class="legend">
        {phases.map((phase, index) => (
          <li key={index}>
            <i style={{ background: `var(--${phase.name})` }} aria-hidden="true" /> {wordsOf(phase)}
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
            <span class="since">{sinceWords(Date.parse(at) - firstAt)}</span>
            <span class="what">{what}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function sinceWords(sinceMs: number): string {
  if (sinceMs <= 0) return '';
  return `+${sinceMs < 1000 ? exactDurationWords(sinceMs) : durationWords(sinceMs)}`;
}

/** The day of a moment, unless it is that of the moment before; the first of today needs none. */
function DayChange({ at, before }: { at: string; before: string }) {
  return dayOf(at) === dayOf(before) ? null : <span class="day">{dayOf(at)}</span>;
}

function dayOf(at: string): string {
  return new Date(at).toLocaleDateString(undefined, { dateStyle: 'full' });
}
