import { useState } from 'preact/hooks';
import { wordsOf } from '../../../functions/sweep/log-report.ts';
import { readSweep, type Sweep } from './api.ts';
import { messageOf } from './hooks.ts';
import { Title } from './parts.tsx';

/** A dry run of the sweep, on the person's request. */
export function SweepPage() {
  const [report, setReport] = useState<Sweep>();
  const [trouble, setTrouble] = useState<string>();
  const [isLooking, setLooking] = useState(false);

  async function look(): Promise<void> {
    setLooking(true);
    setTrouble(undefined);
    try {
      setReport(await readSweep());
    } catch (error) {
      setTrouble(messageOf(error));
    } finally {
      setLooking(false);
    }
  }

  return (
    <main>
      <Title>Clean-up</Title>
      <p>
        davit removes what is left of launches that are over: it looks for such objects every few minutes, in a sweep.
        Here you see what a sweep would do now. This page removes nothing.
      </p>
      <p>
        <button type="button" disabled={isLooking} onClick={() => void look()}>
          {isLooking ? 'Looking …' : 'Look now'}
        </button>
      </p>
      <div role="status">{report === undefined ? null : <Findings report={report} />}</div>
      {trouble === undefined ? null : (
        <p role="alert" class="trouble">
          {trouble}
        </p>
      )}
    </main>
  );
}

function Findings({ report: { findings, errors, seen, left } }: { report: Sweep }) {
  return (
    <section class="card" aria-label="What it would do">
      {errors.length === 0 ? null : (
        <>
          <p class="trouble">
            <strong>The sweep could not read everything, so there may be more.</strong> It looks again by itself.
          </p>
          <ul>
            {errors.map(({ subject, message }) => (
              <li key={`${subject} ${message}`} class="trouble">
                {subject}: {message}
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        {findings.length === 0 ? noneWords(errors.length) : `${findings.length} found`}; looked at {seen.launches}{' '}
        launches and {seen.objects} objects, {left} left.
      </p>
      <ul>
        {findings.map((finding) => (
          <li key={wordsOf(finding)}>{wordsOf(finding)}</li>
        ))}
      </ul>
    </section>
  );
}

function noneWords(errors: number): string {
  return errors === 0 ? 'Nothing to do' : 'Nothing to do where it could look';
}
