import type { ServerResponse } from 'node:http';
import type { EksServer } from '../../core/config/config.ts';
import { type LoopbackServer, startLoopbackServer } from '../../local/loopback-server.ts';

/** EKS's description of a cluster: its endpoint and status, or an error. */
export type EksAnswer = EksServer | { status: string } | { error: string; message: string; httpStatus: number };

/** A fake EKS that answers DescribeCluster. */
export interface FakeEks extends LoopbackServer {
  /** The requested cluster names, in order. */
  asked: string[];
}

/**
 * Starts a fake EKS.
 *
 * @param describe returns the answer about a cluster; undefined when there is none of this name
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeCluster.html
 */
export async function startFakeEks(describe: (clusterName: string) => EksAnswer | undefined): Promise<FakeEks> {
  const asked: string[] = [];
  const server = await startLoopbackServer((request, response) => {
    const name = decodeURIComponent(/^\/clusters\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? '');
    asked.push(name);
    give(response, name, describe(name));
  });
  return { ...server, asked };
}

function give(response: ServerResponse, name: string, answer: EksAnswer | undefined): void {
  if (answer === undefined) {
    refuse(response, 404, 'ResourceNotFoundException', `No cluster found for name: ${name}.`);
  } else if ('error' in answer) {
    refuse(response, answer.httpStatus, answer.error, answer.message);
  } else if ('endpoint' in answer) {
    const { endpoint, certificateAuthority } = answer;
    const cluster = { name, status: 'ACTIVE', endpoint, certificateAuthority: { data: certificateAuthority } };
    response.end(JSON.stringify({ cluster }));
  } else {
    response.end(JSON.stringify({ cluster: { name, status: answer.status } }));
  }
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
  response.end(JSON.stringify({ message }));
}
