import type { ComponentChildren } from 'preact';
import { durationWords, exactDurationWords } from '../../view/duration.ts';
import { lengthMs, type Phase, phaseWords } from '../../view/phases.ts';
import type { Status } from './api.ts';
import type { Polled } from './hooks.ts';
import { agoWords } from './words.ts';

/** A status, as a word with a colour. */
export function StatusBadge({ status }: { status: Status }) {
  return <span class={`badge ${status}`}>{status}</span>;
}

/** A moment, as the time since then. */
export function Ago({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={at}>
      {agoWords(at, now)}
    </time>
  );
}

/** A launch's life as a line: each phase as long as it lasted. */
export function Line({ phases, label }: { phases: readonly Phase[]; label: string }) {
  return (
    <div class="line large" role="img" aria-label={label}>
      {phases.map((phase, index) => (
        <span
          key={index}
          class={`phase ${phase.name}${phase.isOpen ? ' open' : ''}`}
          style={{ flexGrow: Math.max(1, lengthMs(phase)) }}
          title={wordsOf(phase)}
        />
      ))}
    </div>
  );
}

/** The same for a row of a list: one element, so that thousands of launches stay fluid. */
export function ThinLine({ phases }: { phases: readonly Phase[] }) {
  return (
    <div
      class="line"
      aria-hidden="true"
      style={{ background: gradientOf(phases) }}
      title={phases.map(wordsOf).join(', ')}
    />
  );
}

function gradientOf(phases: readonly Phase[]): string {
  const fromEpochMs = phases[0]?.fromEpochMs ?? 0;
  const allMs = Math.max(1, (phases.at(-1)?.toEpochMs ?? 0) - fromEpochMs);
  const percent = (epochMs: number) => `${(((epochMs - fromEpochMs) / allMs) * 100).toFixed(2)}%`;
  const stops = phases.flatMap(({ name, fromEpochMs: from, toEpochMs: to }) =>
    [from, to].map((epochMs) => `var(--${name}) ${percent(epochMs)}`),
  );
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

/** Names a phase, and says how long it lasted. */
export function wordsOf(phase: Phase): string {
  return `${phaseWords[phase.name]}: ${exactDurationWords(lengthMs(phase))}${phase.isOpen ? ' so far' : ''}`;
}

/** Says whether the shown data is current, and otherwise why not. */
export function LiveNote({ of: { isLive, trouble }, now }: { of: Omit<Polled<unknown>, 'refresh'>; now: number }) {
  if (trouble !== undefined) {
    return (
      <div role="status" class="trouble">
        Not live for {durationWords(now - trouble.sinceEpochMs)}; the page asks again: {trouble.message}
      </div>
    );
  }
  return (
    <div role="status" class="live">
      {isLive ? 'Live' : 'Reading …'}
    </div>
  );
}

/** A text with its commands, which stand between backquotes. */
export function Advice({ children }: { children: string }) {
  return <>{children.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** A named fact. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A page's title, which gets the focus when the page opens. */
export function Title({ children }: { children: ComponentChildren }) {
  return (
    <h1 tabIndex={-1} id="title">
      {children}
    </h1>
  );
}

/** The page of something that davit does not know. */
export function Unknown({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main>
      <p class="faint">404</p>
      <Title>{title}</Title>
      {children}
    </main>
  );
}
