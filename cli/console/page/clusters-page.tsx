import { answered, api, type Cluster, type ClusterSummary } from './api.ts';
import { type Polled, useNow, usePolled } from './hooks.ts';
import { Ago, Badge, Fact, LivePage, Table, Unknown } from './parts.tsx';
import { hrefOf } from './route.ts';
import { agoWords } from './words.ts';

const everyMs = 5000;

const states = { true: 'connected', false: 'disconnected', unknown: 'unknown' } as const;

/** The clusters, and the state of the connections to them. */
export function ClustersPage({ clusters: polled }: { clusters: Polled<readonly ClusterSummary[]> }) {
  const { value } = polled;
  const now = useNow();
  return (
    <LivePage title="Clusters" of={polled} now={now}>
      {value?.map((cluster) => (
        <section key={cluster.name} class="card" aria-label={cluster.name}>
          <h2>
            <a href={hrefOf('clusters', cluster.name)}>{cluster.name}</a>
          </h2>
          <ClusterFacts cluster={cluster} now={now} />
        </section>
      ))}
    </LivePage>
  );
}

/** One cluster, and the changes of its connection. */
export function ClusterPage({ name }: { name: string }) {
  const polled = usePolled(
    async () => answered(await api.GET('/clusters/{name}', { params: { path: { name } } })),
    everyMs,
    [name],
  );
  const { value, trouble } = polled;
  const now = useNow();
  if (value === undefined && trouble?.status === 404) {
    return (
      <Unknown title="There is no such cluster">
        <p>
          davit.yaml has no cluster of the name <code>{name}</code>. <a href={hrefOf('clusters')}>All clusters</a>
        </p>
      </Unknown>
    );
  }
  return (
    <LivePage title={name} of={polled} now={now}>
      {value === undefined ? null : (
        <>
          <section class="card" aria-label="Connection">
            <ClusterFacts cluster={value} now={now} />
            <p>
              <a href={hrefOf('launches', '', new URLSearchParams({ cluster: name }))}>Its launches</a>
            </p>
          </section>
          <History history={value.history} />
        </>
      )}
    </LivePage>
  );
}

function ClusterFacts({ cluster, now }: { cluster: ClusterSummary; now: number }) {
  const { connected, since, attempts, nextAttemptAt, lastSuccessAt } = cluster;
  const { version, launches, namespaces, removed } = cluster;
  const state = removed === undefined ? states[`${connected}`] : 'removed';
  return (
    <>
      <dl class="facts">
        <Fact name="Connection">
          <Badge of={state} />
          {since === undefined ? null : `, for ${agoWords(since, now)}`}
        </Fact>
        <Fact name="Launches">
          {launches.launching} launching, {launches.connected} connected, {launches.cleaning} cleaning
        </Fact>
        {version === undefined ? null : <Fact name="Kubernetes">{version}</Fact>}
        {lastSuccessAt === undefined ? null : (
          <Fact name="Last success">
            <Ago at={lastSuccessAt} now={now} /> ago
          </Fact>
        )}
        {attempts === undefined ? null : <Fact name="Failures in a row">{attempts}</Fact>}
        {nextAttemptAt === undefined ? null : (
          <Fact name="Next attempt">
            <time dateTime={nextAttemptAt}>{new Date(nextAttemptAt).toLocaleTimeString()}</time>
          </Fact>
        )}
      </dl>
      <Why of={cluster} />
      {connected === true ? <Namespaces namespaces={namespaces} now={now} /> : null}
      {removed === undefined ? null : <Removed of={removed} />}
    </>
  );
}

function Why({ of: { reason, error } }: { of: Pick<ClusterSummary, 'reason' | 'error'> }) {
  if (reason === undefined) return null;
  return (
    <p>
      <strong>{reason}</strong> <span class="words">{error}</span>
    </p>
  );
}

/** The namespaces in which launches do not work, although the cluster answers. */
function Namespaces({ namespaces, now }: { namespaces: ClusterSummary['namespaces']; now: number }) {
  return (
    <>
      {namespaces
        .filter(({ connected }) => connected !== true)
        .map((namespace) => (
          <section key={namespace.name} aria-label={`Namespace ${namespace.name}`}>
            <dl class="facts">
              <Fact name={`Namespace ${namespace.name}`}>
                <Badge of={states[`${namespace.connected}`]} />
                {namespace.since === undefined ? null : `, for ${agoWords(namespace.since, now)}`}
              </Fact>
            </dl>
            <Why of={namespace} />
          </section>
        ))}
    </>
  );
}

/** The advice on a cluster that davit.yaml no longer has. */
function Removed({ of: { left, commands } }: { of: NonNullable<ClusterSummary['removed']> }) {
  if (left === 0) return <p>It is not in davit.yaml any more, and nothing is left in it.</p>;
  return (
    <>
      <p>
        It is not in davit.yaml any more. {left === 1 ? '1 launch' : `${left} launches`} may have left objects in it.
        These commands remove them:
      </p>
      {commands.map((command) => (
        <pre key={command} tabIndex={0}>
          {command}
        </pre>
      ))}
    </>
  );
}

function History({ history }: { history: Cluster['history'] }) {
  if (history.length === 0) return <p>Its connection has never changed.</p>;
  return (
    <section class="card scroll" tabIndex={0} aria-labelledby="history">
      <Table
        columns={['When', 'Connection', 'Why']}
        caption={<caption id="history">How its connection has changed, newest first</caption>}
      >
        {history.map(({ at, namespace, connected, reason, error }) => (
          <tr key={`${at} ${namespace} ${connected}`}>
            <td>
              <time dateTime={at}>{new Date(at).toLocaleString()}</time>
            </td>
            <td>
              {namespace === undefined ? null : `namespace ${namespace}: `}
              <Badge of={states[`${connected}`]} />
            </td>
            <td>{[reason, error].filter((part) => part !== undefined).join(': ')}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
