import { type Panel, panels } from './panels.ts';
import { describedMetric, type Source } from './sources.ts';

const units = { Count: 'short', Milliseconds: 'ms', Seconds: 's' } as const;
const size = { h: 8, w: 12 };

/**
 * Makes the dashboard for a kind of data source.
 *
 * @see https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */
export function grafanaDashboard(source: Source): object {
  const datasource = { type: source.type, uid: '${datasource}' };
  const variables = source.variables.map((variable) => ({ ...variable, type: 'query', datasource }));
  const choice = { name: 'datasource', refresh: 1, type: 'datasource', query: source.type };
  return {
    ...source.dashboard,
    tags: ['davit'],
    schemaVersion: 39,
    timezone: 'browser',
    time: { from: 'now-6h', to: 'now' },
    refresh: '1m',
    templating: { list: [choice, ...variables] },
    panels: panels.map((panel, index) => ({ id: index + 1, datasource, ...panelOf(panel, index, source) })),
  };
}

function panelOf({ title, description, queries }: Panel, index: number, source: Source): object {
  const [first] = queries.map(describedMetric);
  return {
    type: 'timeseries',
    title,
    description,
    gridPos: { ...size, x: (index % 2) * size.w, y: Math.floor(index / 2) * size.h },
    fieldConfig: { defaults: { unit: units[first?.unit ?? 'Count'], min: 0 }, overrides: [] },
    targets: queries.map((query, at) => ({ refId: 'ABC'.charAt(at), ...source.target(query) })),
    ...source.panel,
  };
}
