import { EventEmitter, once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { LogOptions } from '../pod-logs.ts';
import { errorCode } from './error-code.ts';

/** One entry of a log: a line, or a part of a line that has no end yet. */
interface LogEntry {
  time: string;
  isWholeLine: boolean;
  text: Buffer;
}

/** The log splits a longer line into parts. */
const maxEntryBytes = 16 * 1024;
const newline = 0x0a;

/**
 * The log of one run of a container, in a file in the format of container runtimes.
 *
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
export class ContainerLog {
  readonly #path: string;
  readonly #file: number;
  readonly #nowEpochMs: () => number;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #unfinished = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #sizeBytes = 0;
  #isClosed = false;

  constructor(path: string, nowEpochMs: () => number) {
    this.#path = path;
    this.#file = openSync(path, 'w', 0o600);
    this.#nowEpochMs = nowEpochMs;
  }

  /** Appends output of the container. Before `close`, readers see only whole lines. */
  write(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    let rest = Buffer.concat([this.#unfinished[stream], chunk]);
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#append(stream, 'F', rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    for (; rest.length > maxEntryBytes; rest = rest.subarray(maxEntryBytes)) {
      this.#append(stream, 'P', rest.subarray(0, maxEntryBytes));
    }
    this.#unfinished[stream] = rest;
    this.#changes.emit('change');
  }

  /** Ends the log. */
  close(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#unfinished[stream].length > 0) this.#append(stream, 'P', this.#unfinished[stream]);
    }
    this.#isClosed = true;
    closeSync(this.#file);
    this.#changes.emit('change');
  }

  /** Deletes the file. Readers that have opened it can continue. */
  remove(): void {
    rmSync(this.#path, { force: true });
  }

  /** Reads the log with the options of `kubectl logs`. */
  async *read(options: LogOptions): AsyncGenerator<Buffer> {
    const file = await this.#openForReading();
    if (file === undefined) return;
    try {
      yield* this.#print(file, options);
    } finally {
      await file.close();
    }
  }

  async *#print(file: FileHandle, options: LogOptions): AsyncGenerator<Buffer> {
    const oldest = options.sinceSeconds === undefined ? '' : this.#time(options.sinceSeconds * 1000);
    let allowedBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
    for await (const entry of this.#chosen(file, options)) {
      if (entry.time < oldest) continue;
      const piece = printed(entry, options.timestamps);
      yield piece.subarray(0, Math.min(piece.length, allowedBytes));
      allowedBytes -= piece.length;
      if (allowedBytes <= 0) return;
    }
  }

  /** Drops an entry that cannot be written, as a kubelet does on a full disk: the container goes on. */
  #append(stream: string, tag: 'F' | 'P', text: Buffer): void {
    const entry = Buffer.concat([Buffer.from(`${this.#time(0)} ${stream} ${tag} `), text, Buffer.from('\n')]);
    try {
      // The next entry overwrites what is left of one that did not fit on the disk.
      for (let done = 0; done < entry.length; ) {
        done += writeSync(this.#file, entry, done, entry.length - done, this.#sizeBytes + done);
      }
      this.#sizeBytes += entry.length;
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }

  #time(agoMs: number): string {
    return new Date(this.#nowEpochMs() - agoMs).toISOString().replace('Z', '000000Z');
  }

  /** Returns the present entries or their tail, then new entries if the reader follows the log. */
  async *#chosen(file: FileHandle, { tailLines, follow }: LogOptions): AsyncGenerator<LogEntry> {
    const position = this.#sizeBytes;
    if (tailLines === undefined) {
      yield* entriesOf(file, 0, position);
    } else {
      yield* await tailOf(file, position, tailLines);
    }
    if (follow) yield* this.#following(file, position);
  }

  async *#following(file: FileHandle, startBytes: number): AsyncGenerator<LogEntry> {
    for (let position = startBytes; ; ) {
      if (position < this.#sizeBytes) {
        const end = this.#sizeBytes;
        yield* entriesOf(file, position, end);
        position = end;
      } else if (this.#isClosed) {
        return;
      } else {
        await once(this.#changes, 'change');
      }
    }
  }

  /** Opens the file, which outlives its name: a reader can continue after the Pod is deleted. */
  async #openForReading(): Promise<FileHandle | undefined> {
    try {
      return await open(this.#path, 'r');
    } catch (error) {
      // Between request and answer, the file was deleted with its Pod, or because its container started two more runs.
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

async function tailOf(file: FileHandle, endBytes: number, lines: number): Promise<LogEntry[]> {
  const tail: LogEntry[] = [];
  for await (const entry of entriesOf(file, 0, endBytes)) {
    tail.push(entry);
    if (tail.length > lines) tail.shift();
  }
  return tail;
}

async function* entriesOf(file: FileHandle, startBytes: number, endBytes: number): AsyncGenerator<LogEntry> {
  if (startBytes === endBytes) return;
  let rest = Buffer.alloc(0);
  const chunks: AsyncIterable<Buffer> = file.createReadStream({
    start: startBytes,
    end: endBytes - 1,
    autoClose: false,
  });
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      yield parseEntry(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
  }
}

/** `<time> <stream> <F or P> <text>` */
function parseEntry(line: Buffer): LogEntry {
  const endOfTime = line.indexOf(' ');
  const endOfStream = line.indexOf(' ', endOfTime + 1);
  return {
    time: line.toString('utf8', 0, endOfTime),
    isWholeLine: line.toString('utf8', endOfStream + 1, endOfStream + 2) === 'F',
    text: line.subarray(endOfStream + 3),
  };
}

function printed({ time, isWholeLine, text }: LogEntry, timestamps: boolean): Buffer {
  return Buffer.concat([Buffer.from(timestamps ? `${time} ` : ''), text, Buffer.from(isWholeLine ? '\n' : '')]);
}
