/** What goes wrong with requests that match. */
export interface Fault {
  /** Matched against `METHOD /path`. @default any request */
  match?: RegExp;
  /** Answers with this status instead. */
  status?: number;
  /** Ends the connection instead of answering. */
  drop?: boolean;
  /** Waits for this before it does anything. @default nothing */
  wait?: () => Promise<unknown>;
  /** How often. @default for ever */
  times?: number;
}

/** Finds the first fault that a request meets, and uses it up. */
export function takeFault(faults: Fault[], request: string): Fault | undefined {
  const fault = faults.find(({ match = /^/, times = Infinity }) => times > 0 && match.test(request));
  if (fault?.times !== undefined) fault.times -= 1;
  return fault;
}
