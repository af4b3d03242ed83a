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
    question: () => Promise.reject(new Error('no person answers here')),
    columns: undefined,
    nowEpochMs: Date.now,
    signal,
  };
}

/** Makes the terminal of a person. It records the questions among its notes. @param answers '' for Enter */
export function answeringTerminal(...answers: string[]): RecordingTerminal {
  const terminal = recordingTerminal();
  async function question(text: string): Promise<string> {
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`no answer to ${text}`);
    terminal.notes.push(text);
    return answer;
  }
  return { ...terminal, isInteractive: true, question };
}
