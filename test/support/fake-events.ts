import type { Events } from '../../ports/events.ts';

type Sent = Parameters<Events['send']>[0];

/** Records events. A test may make it fail. */
export class FakeEvents implements Events {
  readonly sent: Sent[] = [];
  readonly traceHeaders: (string | undefined)[] = [];
  /** Returns the error to throw instead of recording the event. */
  refuse: (event: Sent) => Error | undefined = () => undefined;

  async send(event: Sent, traceHeader?: string): Promise<void> {
    const refusal = this.refuse(event);
    if (refusal !== undefined) throw refusal;
    this.sent.push(event);
    this.traceHeaders.push(traceHeader);
  }
}
