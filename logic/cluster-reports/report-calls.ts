import type { Cluster, ObjectPort, OpenCluster } from '../../ports/cluster.ts';
import type { ClusterReporter } from './cluster-reporter.ts';
import { isOfNamespace, reasonOf } from './reason-of.ts';

interface ReportCallsDeps {
  reporter: ClusterReporter;
  nowEpochMs: () => number;
}

/** Opens clusters that report each call: whether the cluster answered, and why not. */
export function reportCalls(open: OpenCluster, deps: ReportCallsDeps): OpenCluster {
  const reporting = new WeakMap<Cluster, Cluster>();
  return async (name) => {
    const report = reporterOf(deps, name);
    const cluster = await report(() => open(name), { isAnswer: false });
    const known = reporting.get(cluster) ?? reportingCluster(cluster, report);
    reporting.set(cluster, known);
    return known;
  };
}

interface ReportOptions {
  /** Whether its success is an answer of the API server. Opening a cluster makes no request, so it proves nothing. */
  isAnswer: boolean;
  /**
   * The longest that the failed request can have taken; before it, the call waited for changes.
   *
   * @default the whole call
   */
  longestRequestMs?: number;
  /** The namespace of a create, whose failure may belong to the namespace. Failures of other calls there prove less. */
  createsIn?: string;
}

type Report = <Result>(call: () => Promise<Result>, options?: ReportOptions) => Promise<Result>;

/** A request of an observation ends after so long: see the adapter's patience. */
const observation = { isAnswer: false, longestRequestMs: 5000 } as const;

function reporterOf({ reporter, nowEpochMs }: ReportCallsDeps, cluster: string): Report {
  return async (call, { isAnswer, longestRequestMs = Infinity, createsIn } = { isAnswer: true }) => {
    const calledAtEpochMs = nowEpochMs();
    try {
      const result = await call();
      if (isAnswer) await reporter.succeeded(cluster);
      return result;
    } catch (error) {
      const reason = reasonOf(error);
      const isClusters = reason !== undefined && !isOfNamespace(reason);
      if (!isClusters && isAnswer) await reporter.succeeded(cluster);
      if (reason !== undefined && error instanceof Error && (isClusters || createsIn !== undefined)) {
        const beganAtEpochMs = Math.max(calledAtEpochMs, nowEpochMs() - longestRequestMs);
        const failure = { reason, error: error.message, beganAtEpochMs };
        await reporter.failed(isClusters ? { cluster } : { cluster, namespace: createsIn }, failure);
      }
      throw error;
    }
  };
}

function reportingCluster({ services, pods, nodes, reports }: Cluster, report: Report): Cluster {
  return {
    services: reportingObjects(services, report),
    pods: reportingObjects(pods, report),
    nodes: { get: (name) => report(() => nodes.get(name)) },
    reports: {
      events: (namespace, pod) => report(() => reports.events(namespace, pod)),
      log: (namespace, pod, container, tail) => report(() => reports.log(namespace, pod, container, tail)),
    },
  };
}

function reportingObjects<View>(objects: ObjectPort<View>, report: Report): ObjectPort<View> {
  return {
    create: (manifest) =>
      report(() => objects.create(manifest), { isAnswer: true, createsIn: manifest.metadata.namespace }),
    get: (namespace, name) => report(() => objects.get(namespace, name)),
    list: (namespace, labels, cursor) => report(() => objects.list(namespace, labels, cursor)),
    delete: (namespace, name, uid) => report(() => objects.delete(namespace, name, uid)),
    async *observe(namespace, name, options) {
      const observed = objects.observe(namespace, name, options)[Symbol.asyncIterator]();
      try {
        for (;;) {
          // A watch without data until its time is up proves nothing about its cluster.
          const next = await report(() => observed.next(), observation);
          if (next.done) return;
          await report(async () => {});
          yield next.value;
        }
      } finally {
        await observed.return?.();
      }
    },
  };
}
