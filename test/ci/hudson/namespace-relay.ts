/**
 * Connects a network namespace with the outside: `node namespace-relay.ts SOCKET=PORT ...`. Each Unix socket, which the
 * outside sees as a file, leads to a port of the loopback address inside. It ends its process group when its standard input
 * ends: whoever started it is gone.
 */
import { connect, createServer } from 'node:net';

for (const pair of process.argv.slice(2)) {
  const [socket = '', port = ''] = pair.split('=');
  const server = createServer((outside) => {
    const inside = connect(Number(port), '127.0.0.1');
    outside.pipe(inside).pipe(outside);
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
  });
  server.listen(socket);
}
process.stdin.on('end', () => process.kill(0, 'SIGKILL')).resume();
