import type { Command } from 'commander';
import { answered } from '../api/client.ts';
import type { components } from '../api-types.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { durationWords } from '../view/duration.ts';
import { type Column, table } from '../view/table.ts';
import { type ApiOptions, openApi, withApiOptions, withExamples } from './command-options.ts';

type Cluster = components['schemas']['ClusterList']['clusters'][number];

/** Adds `davit clusters`. */
export function addClusterCommand(program: Command, terminal: Terminal): void {
  withExamples(
    withApiOptions(
      program.command('clusters').description('list the clusters, and how the connections to them are'),
    ).action((options: ApiOptions) => listClusters(terminal, options)),
    'davit clusters',
    "davit clusters --stack Davit -o json | jq '.[] | select(.connected != true)'",
  );
}

async function listClusters(terminal: Terminal, options: ApiOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const { clusters } = answered(await withProgress(terminal, 'listing clusters', api.GET('/clusters')), 'clusters');
  if (options.output === 'json') return terminal.line(JSON.stringify(clusters, undefined, 2));
  for (const line of table(columnsAt(terminal.nowEpochMs()), clusters, terminal.columns)) terminal.line(line);
}

const states = { true: 'connected', false: 'away', unknown: 'unknown' } as const;

function columnsAt(nowEpochMs: number): Column<Cluster>[] {
  return [
    { title: 'CLUSTER', of: ({ name }) => name },
    { title: 'CONNECTION', of: ({ connected, removed }) => (removed ? 'removed' : states[`${connected}`]) },
    { title: 'FOR', of: ({ since }) => (since === undefined ? '' : durationWords(nowEpochMs - Date.parse(since))) },
    { title: 'LAUNCHING', of: ({ launches }) => `${launches.launching}` },
    { title: 'CONNECTED', of: ({ launches }) => `${launches.connected}` },
    { title: 'CLEANING', of: ({ launches }) => `${launches.cleaning}` },
    { title: 'WHY', of: whyOf },
  ];
}

function whyOf({ reason, error, removed }: Cluster): string {
  if (removed === undefined) return [reason, error].filter((part) => part !== undefined).join(': ');
  const { left, commands } = removed;
  const objects = left === 0 ? 'nothing is left' : `${left} launches may have left objects: ${commands.join('; ')}`;
  return `not in davit.yaml; ${objects}`;
}
