import type { Terminal } from '../../cli/terminal.ts';

/** Records a terminal's output for tests to inspect. */
export interface RecordingTerminal extends Terminal {
  lines: string[];
  notes: string[];
}

/** Makes a program's terminal: not interactive, without colours. */
export function recordingTerminal(
  env: Record<string, string> = {},
  signal = new AbortController().signal,
): RecordingTerminal {
  const lines: string[] = [];
  const notes: string[] = [];
  return {
    lines,
    notes,
    line: (text) => void lines.push(text),
    note: (text) => void notes.push(text),
    style: (_style, text) => text,
    env,
    isInteractive: false,
    columns: undefined,
    nowEpochMs: Date.now,
    signal,
  };
}
