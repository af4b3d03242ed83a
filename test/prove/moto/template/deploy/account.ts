import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { listen } from '../../../../support/listen.ts';
import { answerAs, endToEnd, passOn } from '../pass-on.ts';

/** An AWS account: moto, and stand-ins for the parts of EKS and CloudFormation that moto lacks. */
export interface Account extends AsyncDisposable {
  url: string;
  /** The principals of the access entries of the cluster `builds`. */
  accessEntries: Set<string>;
  cluster: { authenticationMode: string; clusterSecurityGroupId: string };
  /** The resources that CloudFormation retained of the stack `Davit`: pairs of type and name. */
  retained: [type: string, name: string][];
}

/** Starts the account's endpoint. @param motoUrl the target of all other requests */
export async function startAccount(motoUrl: string, clusterSecurityGroupId: string): Promise<Account> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => route(account, motoUrl, request, response, body));
  });
  const { url, stop } = await listen(server);
  const account: Account = {
    url,
    accessEntries: new Set(),
    cluster: { authenticationMode: 'CONFIG_MAP', clusterSecurityGroupId },
    retained: [],
    [Symbol.asyncDispose]: stop,
  };
  return account;
}

async function route(
  account: Account,
  motoUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const { pathname } = new URL(url, motoUrl);
  if (pathname.startsWith('/clusters/')) {
    const answer = eks(account, method, decodeURIComponent(pathname), body.toString());
    const status = answer === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  } else if (body.includes('Action=DescribeStackResources')) {
    response.writeHead(200, { 'content-type': 'text/xml' }).end(stackResources(account));
  } else {
    await answerAs(response, await passOn(request, body, { to: motoUrl, headers: endToEnd }));
  }
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Operations.html */
function eks({ accessEntries, cluster }: Account, method: string, path: string, body: string): object | undefined {
  const entry = /^\/clusters\/builds\/access-entries(?:\/(.+))?$/.exec(path);
  if (method === 'GET' && path === '/clusters/builds') {
    const { authenticationMode, clusterSecurityGroupId } = cluster;
    const resourcesVpcConfig = { clusterSecurityGroupId };
    return { cluster: { name: 'builds', status: 'ACTIVE', accessConfig: { authenticationMode }, resourcesVpcConfig } };
  }
  if (method === 'POST' && path === '/clusters/builds/update-config') {
    cluster.authenticationMode = UpdateConfig.parse(JSON.parse(body)).accessConfig.authenticationMode;
    return { update: { status: 'InProgress' } };
  }
  if (entry === null) return undefined;
  if (method === 'GET') return { accessEntries: [...accessEntries] };
  if (method === 'DELETE' && entry[1] !== undefined) return accessEntries.delete(entry[1]) ? {} : undefined;
  const { principalArn, kubernetesGroups } = AccessEntry.parse(JSON.parse(body));
  accessEntries.add(principalArn);
  return { accessEntry: { principalArn, kubernetesGroups } };
}

const UpdateConfig = z.object({ accessConfig: z.object({ authenticationMode: z.string() }) });
const AccessEntry = z.object({ principalArn: z.string(), kubernetesGroups: z.array(z.string()) });

/** A stack whose first creation was rolled back. */
function stackResources({ retained }: Account): string {
  const skipped = retained.map(
    ([type, name]) =>
      `<member><ResourceType>${type}</ResourceType><PhysicalResourceId>${name}</PhysicalResourceId><ResourceStatus>DELETE_SKIPPED</ResourceStatus></member>`,
  );
  const deleted =
    '<member><ResourceType>AWS::IAM::Role</ResourceType><PhysicalResourceId>role</PhysicalResourceId><ResourceStatus>DELETE_COMPLETE</ResourceStatus></member>';
  return `<DescribeStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStackResourcesResult><StackResources>${skipped.join('')}${deleted}</StackResources></DescribeStackResourcesResult></DescribeStackResourcesResponse>`;
}
