import type { Cause } from '../../view/causes.ts';
import { durationWords } from '../../view/duration.ts';
import { WhatToDo } from './parts.tsx';
import { hrefOf } from './route.ts';
import { agoWords } from './words.ts';

/** Causes, each with its number, what it is about, what to do, and since when. */
export function CauseList({ causes, now }: { causes: readonly Cause[]; now: number }) {
  return (
    <ol class="causes">
      {causes.map((cause) => (
        <li key={cause.key} class={cause.kind}>
          <CauseItem cause={cause} now={now} />
        </li>
      ))}
    </ol>
  );
}

function CauseItem({ cause, now }: { cause: Cause; now: number }) {
  const { count, title, code, about, detail, advice, launchId } = cause;
  return (
    <>
      <span class="count">{count} ×</span>
      <div>
        <p>
          <strong>{title}</strong> {code === undefined ? null : <code>{code}</code>} <span class="words">{about}</span>
        </p>
        {detail === undefined ? null : <p class="detail">{detail}</p>}
        <WhatToDo advice={advice} />
        <p>
          <a href={launchId === undefined ? hrefOf('queue') : hrefOf('launches', launchId)}>
            {linkWords(cause)}
            <span class="unseen">, {about}</span>
          </a>
        </p>
      </div>
      <span class="when">{whenWords(cause, now)}</span>
    </>
  );
}

function linkWords({ launchId, count }: Cause): string {
  if (launchId === undefined) return 'In the queue';
  return count === 1 ? 'The launch' : 'The latest launch';
}

function whenWords({ kind, count, since, lastAt, givesUpAt }: Cause, now: number): string {
  if (kind === 'waits') {
    const limit = givesUpAt === undefined ? '' : `; davit gives up in ${durationWords(Date.parse(givesUpAt) - now)}`;
    return `${count === 1 ? 'for' : 'up to'} ${agoWords(since, now)}${limit}`;
  }
  const last = `${agoWords(lastAt, now)} ago`;
  return count === 1 ? last : `since ${new Date(since).toLocaleTimeString()}, last ${last}`;
}
