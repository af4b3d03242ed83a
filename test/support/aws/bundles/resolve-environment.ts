import * as z from 'zod';
import { LOCAL_ACCOUNT_ID } from '../../../../local/gateway/local-caller.ts';
import { type InvokedFunction, invokedFunctions } from '../../../../runtime/function-settings.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import type { LocalServices } from '../runtime/function-environment.ts';
import type { BundledFunction, BundledStack } from './read-stack.ts';

/** The folder that Lambda puts a bundle into. */
const taskRoot = '/var/task/';

const Intrinsic = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
  z.strictObject({
    'Fn::Select': z.tuple([z.coerce.number(), z.strictObject({ 'Fn::Split': z.tuple([z.string(), z.unknown()]) })]),
  }),
]);

/**
 * Makes a function's environment from its template. Resolves each reference as CloudFormation would, to the local
 * stand-in of the resource.
 *
 * @param folder where its bundle lies, in place of /var/task
 * @throws Error naming a variable whose reference has no local stand-in
 */
export function resolveEnvironment(
  { environment }: BundledFunction,
  { constructs }: BundledStack,
  services: LocalServices,
  folder: string,
): Record<string, string> {
  const local = localValues(services);
  const entries = Object.entries(environment).map(([name, value]) => {
    if (typeof value === 'string') return [name, value.replace(taskRoot, `${folder}/`)];
    const resolved = resolve(value, constructs, local);
    if (resolved === undefined) throw new Error(`${name}: nothing here stands for ${JSON.stringify(value)}`);
    return [name, resolved];
  });
  return Object.fromEntries(entries);
}

/** The values of CloudFormation's references, by construct and attribute, or by pseudo parameter. */
function localValues(services: LocalServices): ReadonlyMap<string, string> {
  return new Map([
    ['LaunchesTable', services.launchesTable],
    ['TokensTable', services.tokensTable],
    ['JobsTable', services.jobsTable],
    ['ClustersTable', services.clustersTable],
    ['CredentialKey', services.credentialKeySecret],
    ['StateMachine/Default', services.stateMachineArn],
    ...invokedFunctions.map((name) => [`${constructOf(name)}/Function`, name] as const),
    ['AWS::StackId', stackIdOf(services)],
    ['Api/HttpApi.ApiEndpoint', services.publicUrl],
    ['AWS::Partition', 'aws'],
    ['AWS::Region', LOCAL_REGION],
    ['AWS::AccountId', LOCAL_ACCOUNT_ID],
  ]);
}

/** `clean-up` is made by the construct `CleanUp`. */
function constructOf(name: InvokedFunction): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Its UUID begins with the installation's id. */
function stackIdOf({ installationId }: LocalServices): string {
  const uuid = `${installationId}-0000-1000-8000-000000000000`;
  return `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:stack/davit/${uuid}`;
}

function resolve(
  value: unknown,
  constructs: BundledStack['constructs'],
  local: ReadonlyMap<string, string>,
): string | undefined {
  if (typeof value === 'string') return value;
  const { data } = Intrinsic.safeParse(value);
  if (data === undefined) return undefined;
  if ('Ref' in data) return local.get(constructs.get(data.Ref) ?? data.Ref);
  if ('Fn::GetAtt' in data) {
    const [logicalId, attribute] = data['Fn::GetAtt'];
    return local.get(`${constructs.get(logicalId)}.${attribute}`);
  }
  if ('Fn::Select' in data) {
    const [index, { 'Fn::Split': split }] = data['Fn::Select'];
    return resolve(split[1], constructs, local)?.split(split[0])[index];
  }
  const [separator, parts] = data['Fn::Join'];
  const resolved = parts.map((part) => resolve(part, constructs, local));
  return resolved.includes(undefined) ? undefined : resolved.join(separator);
}
