/**
 * The part of ws that the tests use. The published types, `@types/ws`, would change those of the Kubernetes client, too.
 *
 * @see https://github.com/websockets/ws/blob/8.23.0/doc/ws.md
 */
declare module 'ws' {
  import { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  interface WebSocketEvents {
    open: [];
    message: [data: Buffer];
    close: [code: number, reason: Buffer];
    error: [error: Error];
    upgrade: [response: IncomingMessage];
    'unexpected-response': [request: unknown, response: IncomingMessage];
  }
  export class WebSocket extends EventEmitter<WebSocketEvents> {
    static readonly OPEN: number;
    readonly readyState: number;
    constructor(url: string, options?: { headers?: Record<string, string> });
    send(data: string | Buffer): void;
    /** Starts the closing handshake. */
    close(): void;
    /** Destroys the connection at once. */
    terminate(): void;
  }
  export class WebSocketServer extends EventEmitter<{ headers: [headers: string[], request: IncomingMessage] }> {
    constructor(options: { noServer: true });
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, opened: (webSocket: WebSocket) => void): void;
  }
}
