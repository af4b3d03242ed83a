import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Takes the output of functions until it is closed. Drops later output, for example from a dead function's pipe. */
export interface FunctionLog {
  write(functionName: string, text: string): void;
  close(): void;
}

interface LogFile {
  descriptor: number;
  bytes: number;
}

const defaultMostBytes = 32 * 1024 * 1024;

/**
 * Appends each function's output to `<directory>/<function>.log`, as CloudWatch has one log group for each. Keeps a large
 * file as `<function>.log.1`, and begins a new one. Drops what cannot be written: a full disk must fail no function.
 *
 * @param options.mostBytes the size at which a file is large. @default 32 MiB
 */
export function openFunctionLog(directory: string, { mostBytes = defaultMostBytes } = {}): FunctionLog {
  mkdirSync(directory, { recursive: true });
  const files = new Map<string, LogFile>();
  let isClosed = false;

  function open(functionName: string): LogFile {
    const descriptor = openSync(join(directory, `${functionName}.log`), 'a', 0o600);
    const file = { descriptor, bytes: fstatSync(descriptor).size };
    files.set(functionName, file);
    return file;
  }

  function append(functionName: string, text: string): void {
    let file = files.get(functionName) ?? open(functionName);
    if (file.bytes >= mostBytes) {
      const path = join(directory, `${functionName}.log`);
      closeSync(file.descriptor);
      files.delete(functionName);
      renameSync(path, `${path}.1`);
      file = open(functionName);
    }
    file.bytes += writeSync(file.descriptor, text);
  }

  return {
    write: (functionName, text) => {
      if (isClosed) return;
      try {
        append(functionName, text);
      } catch (error) {
        if (!(error instanceof Error && 'syscall' in error)) throw error;
      }
    },
    close: () => {
      isClosed = true;
      for (const { descriptor } of files.values()) closeSync(descriptor);
      files.clear();
    },
  };
}
