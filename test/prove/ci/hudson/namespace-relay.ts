/**
 * Connects a network namespace with the outside: `node namespace-relay.ts SOCKET=PORT ...`. Each Unix socket, which the
 * outside sees as a file, leads to a port of the loopback address inside. It ends its process group when its standard input
 * ends: then the process that started it is gone.
 */
import { connect, createServer } from 'node:net';
import { joinSockets } from './join-sockets.ts';

for (const pair of process.argv.slice(2)) {
  const [socket = '', port = ''] = pair.split('=');
  createServer((outside) => joinSockets(outside, connect(Number(port), '127.0.0.1'))).listen(socket);
}
process.stdin.on('end', () => process.kill(0, 'SIGKILL')).resume();
