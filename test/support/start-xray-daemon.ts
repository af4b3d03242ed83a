import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** An X-Ray daemon that records what it receives. */
export interface XrayDaemon extends AsyncDisposable {
  /** The value for `AWS_XRAY_DAEMON_ADDRESS`. */
  address: string;
  /** Every datagram received before the call. */
  received(): Promise<string[]>;
}

const marker = 'end of what is asked for';

/** Starts a daemon on a free port of the loopback interface. */
export async function startXrayDaemon(): Promise<XrayDaemon> {
  const socket = createSocket('udp4');
  const datagrams: string[] = [];
  socket.on('message', (message) => datagrams.push(message.toString()));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();

  return {
    address: `127.0.0.1:${port}`,
    received: async () => {
      // Datagrams within one machine arrive in order: everything sent before the marker arrives before it.
      const sender = createSocket('udp4');
      const earlier = datagrams.filter((datagram) => datagram === marker).length;
      const arrived = new Promise<void>((resolve) => {
        const look = () => datagrams.filter((datagram) => datagram === marker).length > earlier && resolve();
        socket.on('message', look);
      });
      sender.send(marker, port, '127.0.0.1');
      await arrived;
      sender.close();
      return datagrams.filter((datagram) => datagram !== marker);
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** The segment in a datagram. @throws SyntaxError when it holds none */
export function segmentIn(datagram: string): unknown {
  const [, segment = ''] = datagram.split('\n');
  return JSON.parse(segment);
}
