import { printable } from '../../core/printable.ts';
import type { AccessLogEntry } from './gateway-server.ts';

/** Describes an answered request in one line. Anybody may ask for any path. */
export function accessLine({ method, path, status, durationMs, integrationError }: AccessLogEntry): string {
  const error = integrationError ? ` ${integrationError}` : '';
  return printable(`http     ${method} ${path} → ${status} (${durationMs} ms)${error}`);
}
