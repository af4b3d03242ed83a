/**
 * Prints a dashboard for Grafana:
 *
 *     node scripts/grafana.ts cloudwatch   of a davit on AWS
 *     node scripts/grafana.ts prometheus   of a davit in one process
 */
import { grafanaDashboard } from './grafana/dashboard.ts';
import { cloudwatch, prometheus, type Source } from './grafana/sources.ts';

const sources: Readonly<Record<string, Source>> = { cloudwatch, prometheus };
const source = sources[process.argv[2] ?? ''];
if (source === undefined) {
  process.stderr.write(`name the data source of the dashboard: ${Object.keys(sources).join(' or ')}\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(`${JSON.stringify(grafanaDashboard(source), undefined, 2)}\n`);
}
