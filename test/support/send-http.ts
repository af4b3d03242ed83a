import { type HttpLogger, type HttpLogic, type HttpLogKeys, httpHandler } from '../../runtime/http/http-handler.ts';
import type { Metrics } from '../../runtime/metrics/metrics.ts';
import { type EventOptions, httpEvent } from './http-event.ts';
import { RecordingMetrics } from './recording-metrics.ts';

/** A parsed answer. */
export interface Answer {
  status: number;
  headers: Record<string, boolean | number | string>;
  body: Record<string, unknown>;
}

/** A log for tests to inspect. */
export class RecordingLogger implements HttpLogger {
  readonly lines: { level: 'info' | 'warn' | 'error'; message: string; keys: HttpLogKeys & { error?: Error } }[] = [];

  info(message: string, keys: HttpLogKeys): void {
    this.lines.push({ level: 'info', message, keys });
  }

  warn(message: string, keys: HttpLogKeys & { error: Error }): void {
    this.lines.push({ level: 'warn', message, keys });
  }

  error(message: string, keys: HttpLogKeys & { error: Error }): void {
    this.lines.push({ level: 'error', message, keys });
  }
}

/** Sends one request through the HTTP handler, as API Gateway does, and parses the answer. */
export async function send(
  logic: HttpLogic,
  options: EventOptions,
  logger: HttpLogger = new RecordingLogger(),
  metrics: Metrics = new RecordingMetrics(),
): Promise<Answer> {
  const handler = httpHandler(logic, { name: 'launches', logger, metrics });
  const { statusCode = 0, headers = {}, body = '' } = await handler(httpEvent(options));
  return { status: statusCode, headers, body: Object.fromEntries(Object.entries(JSON.parse(body))) };
}
