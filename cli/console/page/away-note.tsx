import type { ClusterSummary } from './api.ts';
import { useNow } from './hooks.ts';
import { hrefOf } from './route.ts';
import { agoWords } from './words.ts';

/** Says on every page which clusters davit cannot reach. */
export function AwayNote({ clusters }: { clusters: readonly ClusterSummary[] }) {
  const now = useNow();
  const away = clusters.filter(({ connected, removed }) => connected === false && removed === undefined);
  if (away.length === 0) return null;
  return (
    <div class="away-note" role="status">
      {away.map(({ name, since, reason, attempts, nextAttemptAt, launches }) => (
        <p key={name}>
          <strong>Cluster {name} is disconnected</strong>
          {since === undefined ? '' : ` for ${agoWords(since, now)}`}
          {reason === undefined ? '' : ` (${reason}${attempts === undefined ? '' : `, ${attempts} attempts`})`}
          {nextAttemptAt === undefined
            ? ''
            : `; the next attempt is at ${new Date(nextAttemptAt).toLocaleTimeString()}`}
          .{' '}
          {launches.launching === 0
            ? ''
            : `${launches.launching} ${launches.launching === 1 ? 'launch waits' : 'launches wait'} there. `}
          <a href={hrefOf('clusters', name)}>
            What is wrong<span class="unseen"> with {name}</span>
          </a>
        </p>
      ))}
    </div>
  );
}
