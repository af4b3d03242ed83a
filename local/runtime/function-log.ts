import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Takes the output of functions until it is closed. Drops later output, for example from a dead function's pipe. */
export interface FunctionLog {
  write(functionName: string, text: string): void;
  close(): void;
}

/** Appends each function's output to `<directory>/<function>.log`, as CloudWatch has one log group for each. */
export function openFunctionLog(directory: string): FunctionLog {
  mkdirSync(directory, { recursive: true });
  const files = new Map<string, number>();
  let isClosed = false;

  function fileOf(functionName: string): number {
    const open = files.get(functionName);
    if (open !== undefined) return open;
    const file = openSync(join(directory, `${functionName}.log`), 'a', 0o600);
    files.set(functionName, file);
    return file;
  }

  return {
    write: (functionName, text) => {
      if (!isClosed) writeSync(fileOf(functionName), text);
    },
    close: () => {
      isClosed = true;
      for (const file of files.values()) closeSync(file);
      files.clear();
    },
  };
}
