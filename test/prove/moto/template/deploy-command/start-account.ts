import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { textOf } from '../../../../cdk/synthesise.ts';
import { listen } from '../../../../support/listen.ts';
import { leftOut, TemplateShape, unknownToMoto } from '../left-out.ts';

/** An AWS account: moto, without the resources that its CloudFormation does not know. */
export interface Account extends AsyncDisposable {
  url: string;
  /** What each request asks for, in order: `PUT bundles/…`, `CreateChangeSet`. */
  calls: string[];
  /** Says of each call whether it is lost before it reaches moto. */
  isLost: (call: string) => boolean;
}

/** Starts the account's endpoint in front of moto. */
export async function startAccount(motoUrl: string): Promise<Account> {
  let outputs: z.infer<typeof Template>['Outputs'] = {};
  const server = createServer((request, response) => void pass(request, response));
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = await buffer(request);
    const call = callOf(method, url, request.headers['x-amz-target'], body);
    account.calls.push(call);
    if (account.isLost(call)) {
      response.destroy();
      return;
    }
    // moto reads the bucket of a request from its host or its path: both stay as they are.
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !/^(connection|content-length|expect|host|x-amz-checksum-.*)$/.test(name)
        ? [[name, value] as const]
        : [],
    );
    const isTemplate = call.startsWith('PUT templates/');
    if (isTemplate) outputs = Template.parse(JSON.parse(body.toString())).Outputs;
    const sent = isTemplate ? known(body) : new Uint8Array(body);
    const answered = await fetch(`${motoUrl}${url}`, {
      method,
      headers: Object.fromEntries(headers),
      ...(body.length === 0 ? {} : { body: sent }),
    });
    const answer = Buffer.from(await answered.arrayBuffer());
    const { 'content-encoding': _encoding, 'content-length': _length, ...kept } = Object.fromEntries(answered.headers);
    response
      .writeHead(answered.status, kept)
      .end(call === 'DescribeStacks' ? withOutputs(answer.toString(), outputs) : answer);
  }
  const { url, stop } = await listen(server);
  const account: Account = { url, calls: [], isLost: () => false, [Symbol.asyncDispose]: stop };
  return account;
}

function known(template: Buffer): string {
  return JSON.stringify(leftOut(TemplateShape.parse(JSON.parse(template.toString())), unknownToMoto));
}

/** moto gives a stack that a change set made no outputs. These have `unknown` for what only a real stack knows. */
function withOutputs(answer: string, outputs: z.infer<typeof Template>['Outputs']): string {
  const members = Object.entries(outputs).map(([key, { Value }]) => {
    const value = textOf(Value)
      .replaceAll(/\$\{[^}]*\.ApiEndpoint\}/g, 'https://api.invalid')
      .replaceAll(/\$\{[^}]*\}/g, 'unknown');
    return `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`;
  });
  const without = answer.replaceAll(/<Outputs\s*\/>|<Outputs>\s*<\/Outputs>/g, '');
  return without.replace('</StackName>', `</StackName><Outputs>${members.join('')}</Outputs>`);
}

const Template = z.looseObject({ Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })) });

function callOf(method: string, url: string, target: string | string[] | undefined, body: Buffer): string {
  if (typeof target === 'string') return target.split('.').at(-1) ?? target;
  const action = method === 'POST' ? /(?:^|&)Action=(\w+)/.exec(body.toString('latin1'))?.[1] : undefined;
  return action ?? `${method} ${url.replace(/^\/[^/]*\/?/, '').replace(/\?.*$/, '')}`;
}
