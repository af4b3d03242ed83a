import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { emptyResource } from '@opentelemetry/resources';
import { startLoopbackServer } from '../../../../local/loopback-server.ts';
import { GaugeTimes } from '../../../../local/telemetry/gauge-times.ts';
import { prometheusName } from '../../../../local/telemetry/prometheus-name.ts';
import { ScrapeReader } from '../../../../local/telemetry/scrape-reader.ts';
import { describedMetrics } from '../../../../runtime/metrics/metric-descriptions.ts';
import { startOtlpReceiver } from '../../../support/otlp-receiver.ts';
import { scrape } from '../../../support/scrape.ts';
import { anyLabels, serveWrittenMetrics, writeEach } from '../../../support/scraped-metrics.ts';

test('a scrape has each metric of davit, with its kind, its description and all of its dimensions', async () => {
  await using served = await serveWrittenMetrics();
  writeEach(served);

  const { target_info: target, ...families } = Object.fromEntries(await scrape(served.url));

  expect(target?.samples[0]?.labels).toEqual({
    service_name: 'davit-local',
    service_version: '0.1.0',
    service_instance_id: '0123abcd',
  });
  expect(Object.keys(families).toSorted()).toEqual(describedMetrics.map(prometheusName).toSorted());
  for (const metric of describedMetrics) {
    const family = families[prometheusName(metric)];
    expect(family).toMatchObject({ type: metric.kind, help: metric.means });
    expect(family?.samples[0]?.labels).toEqual(anyLabels(metric));
  }
});

test('names end in the unit, and those of counters in total', async () => {
  await using served = await serveWrittenMetrics();
  writeEach(served);

  expect([...(await scrape(served.url)).keys()]).toEqual(
    expect.arrayContaining([
      'davit_launches_requested_total',
      'davit_time_to_agent_milliseconds',
      'davit_oldest_queued_job_seconds',
      'davit_queued_jobs',
    ]),
  );
});

test('a counter adds up from scrape to scrape, a gauge has its last value, a histogram its buckets', async () => {
  await using served = await serveWrittenMetrics();
  const valuesOf = async (name: string) =>
    (await scrape(served.url)).get(name)?.samples.map((each) => [each.name, each.labels['le'], each.value]);

  served.write((metrics) => metrics.put('Waits', 2, { code: 'PodPending' }));
  const [before] = (await valuesOf('davit_waits_total')) ?? [];
  served.write((metrics) => {
    metrics.put('Waits', 3, { code: 'PodPending' });
    for (const count of [4, 1]) metrics.put('QueuedJobs', count, { ciSystem: 'github' });
    for (const ms of [90, 4200, 4_000_000]) metrics.put('CleanUpTime', ms, {});
  });

  expect(before).toEqual(['davit_waits_total', undefined, 2]);
  expect(await valuesOf('davit_waits_total')).toEqual([['davit_waits_total', undefined, 5]]);
  expect(await valuesOf('davit_queued_jobs')).toEqual([['davit_queued_jobs', undefined, 1]]);
  const histogram = await valuesOf('davit_clean_up_time_milliseconds');
  expect(histogram).toHaveLength(18);
  expect(histogram).toEqual(
    expect.arrayContaining([
      ['davit_clean_up_time_milliseconds_count', undefined, 3],
      ['davit_clean_up_time_milliseconds_sum', undefined, 4_004_290],
      ['davit_clean_up_time_milliseconds_bucket', '100', 1],
      ['davit_clean_up_time_milliseconds_bucket', '2500', 1],
      ['davit_clean_up_time_milliseconds_bucket', '5000', 2],
      ['davit_clean_up_time_milliseconds_bucket', '3600000', 2],
      ['davit_clean_up_time_milliseconds_bucket', '+Inf', 3],
    ]),
  );
});

test('a davit that starts begins at zero', async () => {
  {
    await using first = await serveWrittenMetrics();
    first.write((metrics) => metrics.put('Defects', 3, {}));
  }
  await using second = await serveWrittenMetrics();
  second.write((metrics) => metrics.put('Defects', 1, {}));

  expect((await scrape(second.url)).get('davit_defects_total')?.samples).toMatchObject([{ value: 1 }]);
});

describe('a gauge that is not written for more than five minutes is left out', () => {
  const minutes = 60_000;

  test('of a scrape, where counters and other values of the gauge stay', async () => {
    let nowEpochMs = 1_000_000;
    await using served = await serveWrittenMetrics({ nowEpochMs: () => nowEpochMs });
    const queues = async () => (await scrape(served.url)).get('davit_queued_jobs')?.samples;
    const github = { name: 'davit_queued_jobs', labels: { ciSystem: 'github' }, value: 5 };
    const gitea = { name: 'davit_queued_jobs', labels: { ciSystem: 'gitea' }, value: 2 };
    served.write((metrics) => {
      metrics.put('QueuedJobs', 5, { ciSystem: 'github' });
      metrics.put('RepairedSymptoms', 1, {});
    });

    nowEpochMs += 5 * minutes;
    served.write((metrics) => metrics.put('QueuedJobs', 2, { ciSystem: 'gitea' }));
    const after5 = await queues();
    nowEpochMs += 1;
    const later = await queues();
    nowEpochMs += 5 * minutes;
    const muchLater = await queues();
    served.write((metrics) => metrics.put('QueuedJobs', 5, { ciSystem: 'github' }));

    expect(after5).toEqual([github, gitea]);
    expect(later).toEqual([gitea]);
    expect(muchLater).toBeUndefined();
    expect(await queues()).toEqual([github]);
    expect((await scrape(served.url)).get('davit_repaired_symptoms_total')?.samples).toMatchObject([{ value: 1 }]);
  });

  test('of what OpenTelemetry sends', async () => {
    await using receiver = await startOtlpReceiver();
    let nowEpochMs = 1_000_000;

    {
      const otlp = { url: receiver.url, intervalMs: 3_600_000 };
      await using served = await serveWrittenMetrics({ otlp, nowEpochMs: () => nowEpochMs });
      served.write((metrics) => {
        metrics.put('QueuedJobs', 5, { ciSystem: 'github' });
        metrics.put('Defects', 1, {});
      });
      nowEpochMs += 4 * minutes;
      served.write((metrics) => metrics.put('QueuedJobs', 2, { ciSystem: 'gitea' }));
      nowEpochMs += 2 * minutes;
    }

    expect(receiver.points('davit.queued_jobs')).toEqual([{ attributes: { ciSystem: 'gitea' }, value: 2 }]);
    expect(receiver.points('davit.defects')).toEqual([{ attributes: {}, value: 1 }]);
  });
});

test('metrics are sent and scraped at the same time, with the same values', async () => {
  await using receiver = await startOtlpReceiver();
  let scraped: number | undefined;

  {
    await using served = await serveWrittenMetrics({ otlp: { url: receiver.url, intervalMs: 3_600_000 } });
    for (const defects of [1, 3]) {
      served.write((metrics) => metrics.put('Defects', defects, {}));
      scraped = (await scrape(served.url)).get('davit_defects_total')?.samples[0]?.value;
    }
  }

  expect(scraped).toBe(4);
  expect(receiver.points('davit.defects')).toEqual([{ attributes: {}, value: 4 }]);
});

test('a reader that nobody scrapes reads each minute, for what OpenTelemetry keeps for it', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    let reads = 0;
    const reader = new ScrapeReader(new GaugeTimes(Date.now));
    reader.setMetricProducer({
      collect: async () => {
        reads += 1;
        return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [] }, errors: [] };
      },
    });

    mock.timers.tick(120_000);
    await turn();
    const afterTwoMinutes = reads;
    await reader.shutdown();
    mock.timers.tick(120_000);
    await turn();

    expect([afterTwoMinutes, reads]).toEqual([2, 2]);
  } finally {
    mock.timers.reset();
  }
});

test('only /metrics is there, to be read', async () => {
  await using served = await serveWrittenMetrics();
  const origin = new URL(served.url).origin;
  const ask = async (path: string, method: string) => (await fetch(`${origin}${path}`, { method })).status;

  expect(await ask('/metrics?name[]=x', 'GET')).toBe(200);
  expect(await ask('/metrics', 'HEAD')).toBe(200);
  expect(await ask('/metrics', 'POST')).toBe(405);
  expect(await ask('/', 'GET')).toBe(404);
  expect(await ask('/metrics/', 'GET')).toBe(404);
  expect(await ask('/launches', 'POST')).toBe(404);
});

test('a port that is taken is named, with the option', async () => {
  await using other = await startLoopbackServer(() => {});
  const { port } = other;

  await expect(serveWrittenMetrics({ listen: { host: '127.0.0.1', port } })).rejects.toThrow(
    `--metrics-listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
  );
});

test('an address that this machine does not have is named, with the option', async () => {
  const listen = { host: '192.0.2.1', port: 9464 };

  await expect(serveWrittenMetrics({ listen })).rejects.toThrow(
    '--metrics-listen: listen EADDRNOTAVAIL: address not available 192.0.2.1:9464',
  );
});
