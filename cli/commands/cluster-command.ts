import type { Command } from 'commander';
import type { ClusterSummary as Cluster } from '../../functions/clusters/cluster-view-schema.ts';
import { answered } from '../api/client.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { durationWords } from '../view/duration.ts';
import { type Column, table } from '../view/table.ts';
import { type ApiOptions, apiCommand, openApi } from './command-options.ts';

type Namespace = Cluster['namespaces'][number];
/** A line of the table: a cluster, or one of its namespaces whose connection is another one. */
type Line = Cluster | (Namespace & { cluster: string });

/** Adds `davit clusters`. */
export function addClusterCommand(program: Command, terminal: Terminal): void {
  apiCommand(
    program,
    'clusters',
    'list the clusters, how the connections to them are, and the namespaces in which launches do not work',
    'davit clusters',
    "davit clusters --stack Davit -o json | jq '.[] | select(.connected != true)'",
  ).action((options: ApiOptions) => listClusters(terminal, options));
}

async function listClusters(terminal: Terminal, options: ApiOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const { clusters } = answered(await withProgress(terminal, 'listing clusters', api.GET('/clusters')), 'clusters');
  if (options.output === 'json') return terminal.line(JSON.stringify(clusters, undefined, 2));
  const lines = clusters.flatMap(linesOf);
  for (const line of table(columnsAt(terminal.nowEpochMs()), lines, terminal.columns)) terminal.line(line);
}

/** While the cluster itself is not connected, nothing can be said about its namespaces. */
function linesOf(cluster: Cluster): Line[] {
  const { name, connected, namespaces } = cluster;
  const others = connected === true ? namespaces.filter((namespace) => namespace.connected !== true) : [];
  return [cluster, ...others.map((namespace) => ({ ...namespace, cluster: name }))];
}

const states = { true: 'connected', false: 'away', unknown: 'unknown' } as const;

function columnsAt(nowEpochMs: number): Column<Line>[] {
  return [
    { title: 'CLUSTER', of: (line) => ('cluster' in line ? `${line.cluster}/${line.name}` : line.name) },
    { title: 'CONNECTION', of: (line) => ('removed' in line ? 'removed' : states[`${line.connected}`]) },
    { title: 'FOR', of: ({ since }) => (since === undefined ? '' : durationWords(nowEpochMs - Date.parse(since))) },
    { title: 'LAUNCHING', of: (line) => countOf(line, 'launching') },
    { title: 'CONNECTED', of: (line) => countOf(line, 'connected') },
    { title: 'CLEANING', of: (line) => countOf(line, 'cleaning') },
    { title: 'WHY', of: whyOf },
  ];
}

function countOf(line: Line, status: keyof Cluster['launches']): string {
  return 'launches' in line ? `${line.launches[status]}` : '';
}

function whyOf(line: Line): string {
  const { reason, error } = line;
  const removed = 'removed' in line ? line.removed : undefined;
  if (removed === undefined) return [reason, error].filter((part) => part !== undefined).join(': ');
  const { left, commands } = removed;
  const objects = left === 0 ? 'nothing is left' : `${left} launches may have left objects: ${commands.join('; ')}`;
  return `not in davit.yaml; ${objects}`;
}
