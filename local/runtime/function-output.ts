import { AsyncLocalStorage } from 'node:async_hooks';

/** Takes what a function writes. */
type Write = (text: string) => void;

const running = new AsyncLocalStorage<Write>();
let isSeparate = false;

/** Does a function's work. What it writes to stdout and stderr meanwhile, and later, goes to `write`. */
export function writingTo<Result>(write: Write, work: () => Result): Result {
  if (!isSeparate) separateOutput();
  return running.run(write, work);
}

/** Does work that is not a function's, although a function has caused it. */
export function outsideOfFunctions<Result>(work: () => Result): Result {
  return running.exit(work);
}

/** What davit writes outside of functions goes where it went. */
function separateOutput(): void {
  isSeparate = true;
  for (const stream of [process.stdout, process.stderr]) {
    const before = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...rest: never[]): boolean => {
      const write = running.getStore();
      if (write === undefined) return before(chunk, ...rest);
      write(Buffer.from(chunk).toString());
      for (const done of rest as unknown[]) if (typeof done === 'function') done();
      return true;
    };
  }
}
