import { setTimeout as delay } from 'node:timers/promises';
import { openCiSystems } from '../../ci/open-ci-systems.ts';
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { installationIdReader } from '../api/installation-id.ts';
import { awsSecrets } from '../api/secret-source.ts';
import { publicUrlOf } from '../api/stack.ts';
import { confirm } from '../ask.ts';
import { scopesOf } from '../doctor/check-ci.ts';
import { type Terminal, untilInterrupted } from '../terminal.ts';
import { tellWebhooks } from '../webhook/run-webhook.ts';
import { uploadMissing } from './bucket.ts';
import { changeLines, newStackLines } from './change-words.ts';
import { executeChangeSet, makeChangeSet, settleStack } from './deploy-stack.ts';
import { deployerPolicy } from './deployer-policy.ts';
import { type Deployment, findDeployment } from './deployment.ts';
import type { FollowDeps } from './follow-stack.ts';
import {
  type Account,
  openAccount,
  type Prepared,
  prepare,
  readTemplateOptions,
  type TemplateOptions,
  templateUrl,
} from './prepare.ts';
import { applySecrets, neededSecrets, planSecrets, type SecretPlan, secretLine } from './secrets.ts';
import type { ChangeSet, StackState } from './stack-port.ts';
import { webhookLines } from './webhook-lines.ts';

/** The options by which a command finds its stack. */
export interface StackOptions {
  stack?: string;
  region?: string;
}

/** The options of `davit deploy`. */
export interface DeployOptions extends StackOptions, TemplateOptions {
  config: string;
  /** The files of secrets' values, by the secrets' names. */
  secret: Readonly<Record<string, string>>;
  yes?: boolean;
  dryRun?: boolean;
  policy?: boolean;
  /** Whether to make the CI systems' webhooks. */
  webhook: boolean;
  /** Where davit acts in the CI systems, beside the profiles' repositories. */
  scope?: string[];
}

/** The name of the stack that a command is for. */
export function stackNameOf({ stack }: StackOptions, { env }: Terminal): string {
  return stack ?? env['DAVIT_STACK'] ?? 'Davit';
}

/** The dependencies of following a stack in a terminal. */
export function followDeps(terminal: Terminal, { stack }: Account): FollowDeps {
  return {
    stack,
    tell: (line) => terminal.note(line),
    pause: (ms) => delay(ms, undefined, { signal: terminal.signal }),
  };
}

/**
 * Deploys davit, or prints what that would do.
 *
 * @returns the name of the stack that runs; undefined if nothing was deployed
 * @throws CliError, ConfigError
 */
export async function runDeploy(options: DeployOptions, terminal: Terminal): Promise<string | undefined> {
  const config = await readConfig(options.config);
  readTemplateOptions(options);
  const deployment = await findDeployment(stackNameOf(options, terminal), options.region);
  if (options.policy === true) {
    terminal.line(JSON.stringify(deployerPolicy(deployment, policyOptionsOf(config, options)), undefined, 2));
    return undefined;
  }
  using account = openAccount(deployment);
  const secrets = await planSecrets(config, options.secret, account.vault);
  const prepared = await prepare(config, deployment, options);
  for (const warning of prepared.template.warnings) terminal.note(`warning: ${warning}`);
  if (options.dryRun === true) {
    await dryRun(terminal, deployment, account, prepared, secrets);
    return undefined;
  }
  const deploying = { terminal, deployment, account, prepared, secrets, isSure: options.yes === true };
  const state = await untilInterrupted(terminal, deploy(deploying));
  for (const line of resultLines(deployment, state)) terminal.line(line);
  const isPut = options.webhook ? await makeWebhooks(config, options, deployment, state, terminal) : () => false;
  const at = { publicUrl: publicUrlOf(state.outputs) ?? '', region: deployment.region };
  for (const line of webhookLines(config.ciSystems, at, isPut)) terminal.line(line);
  return deployment.stackName;
}

const ciRequestMs = 10_000;

/** The stack stays if a webhook cannot be made: `davit webhook` makes it later. @returns whether a CI system has its webhook */
async function makeWebhooks(
  config: Config,
  { scope = [] }: DeployOptions,
  { stackName: stack, region }: Deployment,
  { outputs }: StackState,
  terminal: Terminal,
): Promise<(name: string) => boolean> {
  const { ciSystems: systems } = config;
  const scopes = scopesOf(config, scope);
  const publicUrl = publicUrlOf(outputs) ?? '';
  const secrets = awsSecrets(region);
  const place = { target: { kind: 'stack', stack }, isLocal: false, state: '', region } as const;
  const source = { systems, secrets, readInstallationId: installationIdReader(place), timeoutMs: ciRequestMs };
  const open = { openCiSystem: openCiSystems(source), readSecret: (id: string) => secrets.read(id) };
  // A webhook only has davit poll earlier, and takes rights that davit itself does not need.
  const polledScopes = undefined;
  const plan = { systems, publicUrl, scopes, polledScopes, replace: false, ...open };
  const put = await untilInterrupted(terminal, tellWebhooks(plan, terminal));
  if (put.some(({ outcome }) => outcome === 'failed'))
    terminal.note('the stack runs; `davit webhook --stack NAME` makes the webhooks that are missing');
  return (name) => put.some(({ system, outcome }) => system === name && ['made', 'corrected'].includes(outcome));
}

function policyOptionsOf(config: Config, { vpcId, domainName, eksAccess = false }: DeployOptions) {
  const secrets = neededSecrets(config).map(({ id }) => id);
  return { secrets, isInVpc: vpcId !== undefined, hasDomain: domainName !== undefined, hasEksAccess: eksAccess };
}

/** Prints what a deployment would make. Only reads. */
async function dryRun(
  terminal: Terminal,
  { account: accountId, region, stackName }: Deployment,
  { stack, bucket }: Account,
  { template, archives }: Prepared,
  secrets: readonly SecretPlan[],
): Promise<void> {
  const [state, keys] = [await stack.describe(), await bucket.keys()];
  const uploads = archives.filter(({ key }) => keys?.has(key) !== true).length;
  terminal.line(`account ${accountId}, region ${region}`);
  terminal.line(`stack ${stackName}: ${state === undefined ? 'is made' : `is updated; it is ${state.status} now`}`);
  terminal.line(`bucket ${bucket.name}: ${keys === undefined ? 'is made' : 'exists'}`);
  terminal.line(`bundles: ${uploads} of ${archives.length} are uploaded`);
  for (const plan of secrets) terminal.line(secretLine(plan));
  if (state === undefined) for (const line of newStackLines(template.body)) terminal.line(line);
  else terminal.line('resources: `davit diff` compares them with those of the stack');
}

interface Deploying {
  terminal: Terminal;
  deployment: Deployment;
  account: Account;
  prepared: Prepared;
  secrets: readonly SecretPlan[];
  isSure: boolean;
}

/** Each step finds what an earlier, interrupted deployment has done, and does only the rest. */
async function deploy(deploying: Deploying): Promise<StackState> {
  const { terminal, account, prepared, secrets, isSure } = deploying;
  const { account: accountId, region, stackName } = deploying.deployment;
  const deps = followDeps(terminal, account);
  const agreeTo = async (question: string) => {
    if (!isSure) await confirm(terminal, question);
  };
  const before = await settleStack(deps, agreeTo);
  if (before === undefined) {
    for (const line of newStackLines(prepared.template.body)) terminal.note(line);
    for (const plan of secrets) terminal.note(secretLine(plan));
    await agreeTo(`Make the stack ${stackName} in account ${accountId}, region ${region}?`);
  }
  const url = await upload(deploying);
  const changeSet = await makeChangeSet(deps, before === undefined ? 'CREATE' : 'UPDATE', url);
  if (before !== undefined) await agree(deploying, changeSet);
  await applySecrets(secrets, account.vault);
  if (changeSet === undefined) {
    terminal.note(`the stack ${stackName} is up to date`);
    return (await account.stack.describe()) ?? missing(stackName);
  }
  const made = await account.stack.describe();
  return executeChangeSet(deps, changeSet, made?.id ?? stackName);
}

function missing(stackName: string): never {
  throw new TypeError(`the stack ${stackName} was there, and is no more`);
}

/** Asks whether to change a stack. Without an answer, the change set is deleted. */
async function agree({ terminal, account, secrets, isSure, deployment }: Deploying, changeSet?: ChangeSet) {
  const changedSecrets = secrets.filter(({ action }) => action !== 'keep');
  for (const plan of changedSecrets) terminal.note(secretLine(plan));
  for (const line of changeSet === undefined ? [] : changeLines(changeSet.changes)) terminal.note(line);
  if (isSure || (changeSet === undefined && changedSecrets.length === 0)) return;
  try {
    await confirm(terminal, `Change the stack ${deployment.stackName}?`);
  } catch (error) {
    if (changeSet !== undefined) await account.stack.deleteChangeSet(changeSet.id);
    throw error;
  }
}

/** Uploads what the bucket lacks. @returns the template's URL */
async function upload({ terminal, account: { bucket }, prepared, deployment }: Deploying): Promise<string> {
  const { archives, template, templateKey } = prepared;
  await bucket.ensure();
  const existing = (await bucket.keys()) ?? new Set<string>();
  const { count, bytes } = await uploadMissing(bucket, existing, archives);
  terminal.note(
    `bucket ${bucket.name}: ${count} of ${archives.length} bundles uploaded, ${(bytes / 1e6).toFixed(1)} MB`,
  );
  if (!existing.has(templateKey)) await bucket.put(templateKey, template.body, 'application/json');
  return templateUrl(deployment, bucket.name, templateKey);
}

function resultLines({ stackName, region }: Deployment, { outputs }: StackState): string[] {
  return [
    `the stack ${stackName} runs in ${region}`,
    `agents connect at: ${publicUrlOf(outputs) ?? ''}/agents/AGENT/connect`,
    ...(outputs['AlarmTopic'] === undefined ? [] : [`alarms: subscribe to ${outputs['AlarmTopic']}`]),
  ];
}
