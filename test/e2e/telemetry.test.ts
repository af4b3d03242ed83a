import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startDavitProcess } from './davit-process.ts';

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
