import { durationWords } from '../../view/duration.ts';
import { type Axis, axisOf, type Bar, type Lane, lanesOf, partWords, stateWords } from '../../view/lanes.ts';
import type { Launch } from './api.ts';
import { hrefOf } from './route.ts';
import { titleOf } from './words.ts';

/** The latest launches on one time axis, so that a short life looks short. */
export function Lanes({ launches, now }: { launches: readonly Launch[]; now: number }) {
  const axis = axisOf(launches, now);
  return (
    <section class="card" aria-labelledby="lanes">
      <h2 id="lanes">
        The latest launches{' '}
        {launches.length === 0 ? null : <small>on one time axis: the last {durationWords(axis.lengthMs)}</small>}
      </h2>
      {launches.length === 0 ? (
        <p>
          There is no launch yet. A queued job that a profile takes gets one, and so does{' '}
          <code>davit launch PROFILE</code>.
        </p>
      ) : (
        <>
          <AxisLine axis={axis} />
          <ol class="lanes">
            {lanesOf(launches, axis, now).map((lane) => (
              <LaneRow key={lane.launch.launchId} lane={lane} now={now} />
            ))}
          </ol>
          <Legend />
          <p>
            <a href={hrefOf('launches')}>All launches</a>
          </p>
        </>
      )}
    </section>
  );
}

function AxisLine({ axis: { ticksMs } }: { axis: Axis }) {
  return (
    <div class="axis" aria-hidden="true">
      <span />
      <span class="ticks">
        {ticksMs.map((beforeMs) => (
          <span key={beforeMs}>−{durationWords(beforeMs)}</span>
        ))}
        <span class="last">now</span>
      </span>
    </div>
  );
}

function LaneRow({ lane: { launch, bars, isCut }, now }: { lane: Lane; now: number }) {
  const repository = launch.job?.repository ?? launch.plan?.job?.repository;
  return (
    <li>
      <span class="name">
        <a href={hrefOf('launches', launch.launchId)}>{titleOf(launch)}</a>{' '}
        {repository === undefined ? null : <small>{repository}</small>}
      </span>
      <span class="lane" aria-hidden="true">
        {isCut ? <span class="cut">◂</span> : null}
        {bars.map((bar, index) => (
          <BarLine key={index} bar={bar} />
        ))}
      </span>
      <span class={`state ${moodOf(launch)}`}>{stateWords(launch, now)}</span>
    </li>
  );
}

/** The thinnest bar that can be seen, as a share of the axis. */
const thinnest = 0.004;

function BarLine({ bar: { part, from, to } }: { bar: Bar }) {
  const width = Math.max(thinnest, to - from);
  const left = Math.min(from, 1 - width);
  const place = { left: `${left * 100}%`, width: `${width * 100}%` };
  return <i style={{ ...place, background: `var(--${part})` }} title={partWords[part]} />;
}

function moodOf({ status, ending, signal }: Launch): string {
  if (ending?.outcome === 'failed') return 'bad';
  if (status === 'launching' && signal !== undefined) return 'warn';
  return status === 'terminated' ? 'faint' : '';
}

/** The names of the colours. */
export function Legend() {
  return (
    <ul class="legend" aria-label="Colours">
      {Object.entries(partWords).map(([part, words]) => (
        <li key={part}>
          <i style={{ background: `var(--${part})` }} aria-hidden="true" /> {words}
        </li>
      ))}
    </ul>
  );
}
