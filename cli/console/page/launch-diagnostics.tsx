import type { Launch } from './api.ts';
import { Table } from './parts.tsx';

/** What the cluster said of a failed launch's Pod: first the end of the log, then the Events. */
export function Diagnostics({
  diagnostics: { events, log, unread },
}: {
  diagnostics: NonNullable<Launch['diagnostics']>;
}) {
  if (log === undefined && events.length === 0 && unread.length === 0) return null;
  return (
    <section class="card" aria-label="Log and Events">
      {log === undefined ? null : (
        <>
          <h2 id="log">The end of the log of {log.container}</h2>
          <pre tabIndex={0} role="region" aria-labelledby="log">
            {log.text}
          </pre>
        </>
      )}
      {events.length === 0 ? null : <EventTable events={events} />}
      {unread.map((what) => (
        <p key={what}>davit could not read the {what.replace(/ \((?:launch|cluster) [^()]*\)$/, '')}</p>
      ))}
    </section>
  );
}

function EventTable({ events }: Pick<NonNullable<Launch['diagnostics']>, 'events'>) {
  return (
    <>
      <h2 id="events">The Events of its Pod</h2>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="events">
        <Table columns={['Reason', 'Type', 'Count', 'Message']}>
          {events.map(({ type, reason, count, message }) => (
            <tr key={`${reason} ${message}`}>
              <th scope="row">{reason}</th>
              <td>{type}</td>
              <td>{count} ×</td>
              <td>{message}</td>
            </tr>
          ))}
        </Table>
      </div>
    </>
  );
}
