import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLoopbackServer } from '../../../local/loopback-server.ts';
import { startDavitProcess, startProgram } from '../../e2e/davit-process.ts';
import { eventually } from '../../support/eventually.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { scrape } from '../../support/scrape.ts';

test("a launch's metrics arrive by OpenTelemetry, with their origin and with the receiver's credential", async () => {
  const state = await mkdtemp(join(tmpdir(), 'davit-telemetry-'));
  await using receiver = await startOtlpReceiver();
  const where = { profile: 'linux', cluster: 'sandbox' };

  const url = receiver.url.replace('/v1/metrics', '');
  await using davit = await startDavitProcess(['--listen', '127.0.0.1:0', '--state', state, '--otlp', url], {
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20MTIzOnNlY3JldA==',
  });
  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'measured' });
  await davit.launches.until(launchId, 'connected');
  const { exitCode, stderr } = await davit.kill('SIGTERM');

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  expect(receiver.points('davit.launches_requested')).toEqual([{ attributes: where, value: 1 }]);
  expect(receiver.points('davit.launches')).toEqual([{ attributes: { ...where, outcome: 'connected' }, value: 1 }]);
  expect(receiver.points('davit.time_to_agent')).toEqual([{ attributes: where, value: 1 }]);
  expect(receiver.points('davit.launches_in_flight')).toContainEqual({
    attributes: { status: 'connected' },
    value: expect.any(Number),
  });
  expect(receiver.resources().at(-1)).toMatchObject({ 'service.name': 'davit-local' });
  expect(receiver.headers.at(-1)).toMatchObject({ authorization: 'Basic MTIzOnNlY3JldA==' });
  await rm(state, { recursive: true });
});

test("Prometheus finds a launch's metrics at a port of their own, and nothing at that of webhooks", async () => {
  await using resources = new AsyncDisposableStack();
  const state = await mkdtemp(join(tmpdir(), 'davit-telemetry-'));
  resources.defer(() => rm(state, { recursive: true }));
  const where = { profile: 'linux', cluster: 'sandbox' };

  const addresses = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
  const davit = resources.use(await startDavitProcess([...addresses, '--state', state]));
  const [, url = ''] = await davit.detail(/^ {2}metrics {6}(\S+), for Prometheus$/);
  const before = await scrape(url);
  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'measured' });
  await davit.launches.until(launchId, 'connected');
  expect(before.get('davit_launches_in_flight')?.samples).toHaveLength(3);
  expect(before.get('davit_launches_total')).toBeUndefined();
  await eventually(async () => {
    const after = await scrape(url);
    expect(after.get('davit_launches_requested_total')?.samples).toMatchObject([{ labels: where, value: 1 }]);
    expect(after.get('davit_launches_total')?.samples).toMatchObject([
      { labels: { ...where, outcome: 'connected' }, value: 1 },
    ]);
    expect(after.get('davit_time_to_agent_milliseconds')?.samples).toContainEqual({
      name: 'davit_time_to_agent_milliseconds_count',
      labels: where,
      value: 1,
    });
  });
  expect(new URL(url).port).not.toBe(new URL(davit.url).port);
  expect((await fetch(`${davit.url}/metrics`)).status).toBe(404);
});

test('a port for Prometheus that is taken ends davit before it starts, with the option and the address', async () => {
  const state = await mkdtemp(join(tmpdir(), 'davit-telemetry-'));
  await using other = await startLoopbackServer(() => {});

  const taken = `127.0.0.1:${other.port}`;
  const args = ['--listen', '127.0.0.1:0', '--metrics-listen', taken, '--state', state];
  await using program = startProgram('local/main.ts', args);

  expect(await program.ended).toMatchObject({
    exitCode: 2,
    stderr: [`--metrics-listen: listen EADDRINUSE: address already in use ${taken}`],
  });
  await rm(state, { recursive: true });
});
