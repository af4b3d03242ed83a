import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { listen } from '../../../local/loopback-server.ts';
import { makeServerCertificate } from '../../../sandbox/api/certificates.ts';
import type { Cluster } from './cluster.ts';

/** A connection to a cluster's API server that can break. It terminates TLS, so that it can read the requests. */
export interface BreakableLine extends AsyncDisposable {
  /** Makes a kubeconfig of the cluster use the line. */
  through: (kubeconfig: string) => string;
  /** Holds all traffic under way, in both directions, and resets new connections. */
  cutOff: () => void;
  /** Delivers the held traffic, even for a caller that has given up since then, and lets everything through. */
  mend: () => void;
  /** Says of each request whether it fails, and how. @default no request fails */
  failRequestsIf: (fails: () => RequestFailure | undefined) => void;
}

/** `closed`: its connection is closed. `lost`: it does not arrive, and nobody says so. */
export type RequestFailure = 'closed' | 'lost';

const Kubeconfig = z.looseObject({
  clusters: z.tuple([z.looseObject({ cluster: z.looseObject({ 'certificate-authority-data': z.string() }) })]),
});
const requestStart = /^(?:GET|POST|PUT|PATCH|DELETE) /;

/** Starts a line on the loopback interface. */
export async function startBreakableLine(cluster: Pick<Cluster, 'kubeconfig' | 'apiUrl'>): Promise<BreakableLine> {
  const { keyPem, certificatePem } = await makeServerCertificate();
  const [{ cluster: direct }] = Kubeconfig.parse(parse(cluster.kubeconfig)).clusters;
  const { hostname: host, port } = new URL(cluster.apiUrl);
  const ca = decoded(direct['certificate-authority-data']);
  const sockets = new Set<TLSSocket>();
  const held: (() => void)[] = [];
  let isCut = false;
  let failureOfNext: () => RequestFailure | undefined = () => undefined;

  const pass = (deliver: () => void) => (isCut ? void held.push(deliver) : deliver());
  const keep = (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // the other end sees it
    socket.once('close', () => sockets.delete(socket));
  };
  const carry = (client: TLSSocket) => {
    const server = connect({ host, port: Number(port), ca });
    keep(client);
    keep(server);
    client.on('data', (chunk) => {
      const failure = requestStart.test(chunk.toString('latin1')) ? failureOfNext() : undefined;
      if (failure === 'closed') client.destroy();
      if (failure === undefined) pass(() => server.write(chunk));
    });
    server.on('data', (chunk) => pass(() => client.write(chunk)));
    server.once('close', () => pass(() => client.destroy()));
    // The line does not notice a caller that gives up during a cut: its request may still take effect.
    client.once('close', () => isCut || server.destroy());
  };
  const listener = createServer({ key: keyPem, cert: certificatePem }, carry);
  listener.on('connection', (socket) => isCut && socket.resetAndDestroy());
  const { port: ownPort } = await listen(listener, 0, '127.0.0.1');
  const through = (kubeconfig: string) => {
    const config = Kubeconfig.parse(parse(kubeconfig));
    const own = { server: `https://127.0.0.1:${ownPort}`, 'certificate-authority-data': encoded(certificatePem) };
    Object.assign(config.clusters[0].cluster, own);
    return stringify(config);
  };
  return {
    through,
    cutOff: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
      for (const deliver of held.splice(0)) deliver();
    },
    failRequestsIf: (fails) => {
      failureOfNext = fails;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await once(listener.close(), 'close');
    },
  };
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString();
const encoded = (text: string): string => Buffer.from(text).toString('base64');
