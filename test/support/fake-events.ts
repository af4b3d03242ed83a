import type { Events } from '../../functions/ports/events.ts';

type Sent = Parameters<Events['send']>[0];

/** Events that are kept, and that a test may have fail. */
export class FakeEvents implements Events {
  readonly sent: Sent[] = [];
  readonly traceHeaders: (string | undefined)[] = [];
  /** What is thrown for an event instead of sending it. */
  refuse: (event: Sent) => Error | undefined = () => undefined;

  async send(event: Sent, traceHeader?: string): Promise<void> {
    const refusal = this.refuse(event);
    if (refusal !== undefined) throw refusal;
    this.sent.push(event);
    this.traceHeaders.push(traceHeader);
  }
}
