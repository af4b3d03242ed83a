import type { HttpLogger, HttpLogic } from '../../functions/http/http-handler.ts';
import { httpHandler } from '../../functions/http/http-handler.ts';
import type { EventOptions } from './http-event.ts';
import { httpEvent } from './http-event.ts';

/** An answer, read. */
export interface Answer {
  status: number;
  headers: Record<string, boolean | number | string>;
  body: Record<string, unknown>;
}

/** A log that tests look into. */
export class RecordingLogger implements HttpLogger {
  readonly lines: { level: 'info' | 'warn' | 'error'; message: string; error?: Error }[] = [];

  info(message: string): void {
    this.lines.push({ level: 'info', message });
  }

  warn(message: string, error: Error): void {
    this.lines.push({ level: 'warn', message, error });
  }

  error(message: string, error: Error): void {
    this.lines.push({ level: 'error', message, error });
  }
}

/** Sends one request through the edge, as API Gateway does, and reads the answer. */
export async function send(logic: HttpLogic, options: EventOptions, logger = new RecordingLogger()): Promise<Answer> {
  const { statusCode = 0, headers = {}, body = '' } = await httpHandler(logic, logger)(httpEvent(options));
  return { status: statusCode, headers, body: Object.fromEntries(Object.entries(JSON.parse(body))) };
}
