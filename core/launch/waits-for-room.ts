import type { PendingCode, TerminalCode } from '../errors/error-codes.ts';
import type { Signal } from './launch-record.ts';
import type { Deadlines } from './launch-state.ts';

/** A cluster without room for an object gets a deadline of its own: other agents have to end first. */
export const waitsForRoom: ReadonlyMap<string, { seconds: keyof Deadlines; code: TerminalCode }> = new Map([
  ['QuotaExceeded', { seconds: 'quotaSeconds', code: 'QuotaDeadlineExceeded' }],
  ['NodePortRangeFull', { seconds: 'nodePortRangeSeconds', code: 'NodePortRangeDeadlineExceeded' }],
] satisfies [PendingCode, { seconds: keyof Deadlines; code: TerminalCode }][]);

/** Says whether a launch waits until there is room for an object of its. */
export function isWaitForRoom(signal: Signal | undefined): boolean {
  return waitsForRoom.has(signal?.code ?? '');
}
