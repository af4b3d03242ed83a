import type { ComponentChildren } from 'preact';
import { durationWords, exactDurationWords } from '../../view/duration.ts';
import { lengthMs, type Phase, phaseWords } from '../../view/phases.ts';
import type { Polled } from './hooks.ts';
import { agoWords } from './words.ts';

interface LivePageProps {
  title: string;
  of: Polled<unknown>;
  now: number;
  class?: string;
  children: ComponentChildren;
}

/** A page of data that is read again and again: its title, how current the data is, and the rest. */
export function LivePage({ title, of, now, class: name, children }: LivePageProps) {
  return (
    <main class={name}>
      <div class="bar">
        <Title>{title}</Title>
        <LiveNote of={of} now={now} />
      </div>
      {children}
    </main>
  );
}

interface TableProps {
  columns: readonly string[];
  /** The columns after those, whose cells are numbers. */
  numbers?: readonly string[];
  caption?: ComponentChildren;
  foot?: ComponentChildren;
  children: ComponentChildren;
}

/** A table that becomes a list of its rows on a narrow page. */
export function Table({ columns, numbers = [], caption, foot, children }: TableProps) {
  return (
    <table class="stacked">
      {caption}
      <thead>
        <tr>
          {columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          {numbers.map((title) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot}
    </table>
  );
}
/** A state, as a word with a colour. */
export function Badge({ of }: { of: string }) {
  return <span class={`badge ${of}`}>{of}</span>;
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
          style={{ flexGrow: Math.max(1, lengthMs(phase)), background: `var(--${phase.name})` }}
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
function LiveNote({ of: { isLive, trouble }, now }: Pick<LivePageProps, 'of' | 'now'>) {
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

/** What a person can do about something, if davit knows. */
export function WhatToDo({ advice }: { advice: string | undefined }) {
  if (advice === undefined) return null;
  return (
    <p>
      <strong>What to do:</strong> <Advice>{advice}</Advice>
    </p>
  );
}

/** A job's own page, in another tab; the words alone where it has none that a person may follow. */
export function JobLink({ to, children }: { to: string | undefined; children: string }) {
  if (to === undefined) return <>{children}</>;
  return (
    <a href={to} rel="noreferrer" target="_blank">
      {children}
    </a>
  );
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
