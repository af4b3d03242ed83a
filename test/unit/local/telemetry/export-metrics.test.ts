import { buildSync } from 'esbuild';
import { exportMetrics } from '../../../../local/telemetry/export-metrics.ts';
import { startOtlpReceiver } from '../../../support/otlp-receiver.ts';

function startExport(url: string, lines: string[]) {
  return exportMetrics({
    // Metrics are sent only at the end of the export, so each of these tests has one answer.
    otlp: { url, intervalMs: 3_600_000 },
    listen: undefined,
    serviceName: 'davit-local',
    serviceVersion: '0.1.0',
    serviceInstanceId: '0123abcd',
    report: (line) => lines.push(line),
    nowEpochMs: Date.now,
  });
}

const defect =
  '{"_aws":{"CloudWatchMetrics":[{"Namespace":"davit","Dimensions":[["service"]],"Metrics":[{"Name":"Defects"}]}]},"Defects":1}\n';

test('identifies the sender of its metrics', async () => {
  await using receiver = await startOtlpReceiver();
  const lines: string[] = [];

  {
    await using metrics = await startExport(receiver.url, lines);
    metrics.take(defect);
  }

  expect(receiver.resources()).toEqual([
    { 'service.name': 'davit-local', 'service.version': '0.1.0', 'service.instance.id': '0123abcd' },
  ]);
  expect(receiver.points('davit.defects')).toEqual([{ attributes: {}, value: 1 }]);
  expect(lines).toEqual([]);
});

test('a receiver that refuses metrics is reported once, in its own words', async () => {
  await using receiver = await startOtlpReceiver({ status: 401 });
  const lines: string[] = [];

  {
    await using metrics = await startExport(receiver.url, lines);
    metrics.take(defect);
  }

  expect(lines).toEqual([`metrics: ${receiver.url} accepts no metrics, and davit keeps trying: Unauthorized`]);
});

test('a partial acceptance is reported', async () => {
  const answer = { partialSuccess: { rejectedDataPoints: '1', errorMessage: 'too old' } };
  await using receiver = await startOtlpReceiver({ answer });
  const lines: string[] = [];

  {
    await using metrics = await startExport(receiver.url, lines);
    metrics.take(defect);
  }

  expect(lines).toEqual([expect.stringMatching(/^metrics: .*too old/)]);
});

test('a davit that sends no metrics loads none of their modules', () => {
  const { metafile } = buildSync({
    entryPoints: ['local/main.ts'],
    bundle: true,
    splitting: true,
    write: false,
    outdir: '/',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    logLevel: 'error',
  });

  const loaded = new Set<string>();
  const load = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const imports = metafile.outputs[file]?.imports ?? [];
    for (const { path } of imports.filter(({ kind }) => kind === 'import-statement')) load(path);
  };
  const [main = ''] = Object.keys(metafile.outputs).filter(
    (file) => metafile.outputs[file]?.entryPoint === 'local/main.ts',
  );
  load(main);

  expect([...loaded]).toContain('zod');
  expect([...loaded].filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
});
