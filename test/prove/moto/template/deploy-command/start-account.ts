import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { textOf } from '../../../../cdk/synthesise.ts';
import { listen } from '../../../../support/listen.ts';
import { leftOut, TemplateShape, unknownToMoto } from '../left-out.ts';
import { answerAs, passOn } from '../pass-on.ts';

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
    const isTemplate = call.startsWith('PUT templates/');
    if (isTemplate) outputs = Template.parse(JSON.parse(body.toString())).Outputs;
    const answered = await passOn(request, isTemplate ? known(body) : body, { to: motoUrl, headers: passedOn });
    await answerAs(
      response,
      answered,
      call === 'DescribeStacks' ? withOutputs(await answered.text(), outputs) : undefined,
    );
  }
  const { url, stop } = await listen(server);
  const account: Account = { url, calls: [], isLost: () => false, [Symbol.asyncDispose]: stop };
  return account;
}

/** Without those of the connection, and the checksum of a template that is changed. */
const passedOn = /^(?!(?:connection|content-length|expect|host|x-amz-checksum-.*)$)/;

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
