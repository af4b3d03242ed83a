import { confirm } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import { type Terminal, untilInterrupted } from '../terminal.ts';
import { retainedIds } from './change-words.ts';
import { deleteStack } from './deploy-stack.ts';
import { type Deployment, findDeployment } from './deployment.ts';
import { followStack, isInProgress, newestEvent } from './follow-stack.ts';
import { launchesInFlight } from './launches-in-flight.ts';
import { type Account, openAccount } from './prepare.ts';
import { followDeps, type StackOptions, stackNameOf } from './run-deploy.ts';
import { secretsMadeFor } from './secrets.ts';
import type { StackState } from './stack-port.ts';

/** The options of `davit destroy`. */
export interface DestroyOptions extends StackOptions {
  yes?: boolean;
  /** Whether launches in flight may be left behind. */
  abandon?: boolean;
}

/** Deletes a deployed davit and its bucket. Says what it keeps. @throws CliError */
export async function runDestroy(options: DestroyOptions, terminal: Terminal): Promise<void> {
  const deployment = await findDeployment(stackNameOf(options, terminal), options.region);
  using account = openAccount(deployment);
  const { stackName, account: accountId, region } = deployment;
  const found = await account.stack.describe();
  const keys = await account.bucket.keys();
  if (found === undefined && keys === undefined) {
    const advice = 'Check the name and the region: --stack, --region.';
    const message = `there is no stack ${stackName} in account ${accountId}, region ${region}`;
    throw new CliError('unknown', 'no-stack', message, advice);
  }
  const secrets = await secretsMadeFor(account.secretsManager, deployment);
  if (found !== undefined) await tellKept(terminal, account, found);
  if (secrets.length > 0) terminal.note(`keeps the secrets ${secrets.join(', ')}`);
  terminal.note(`deletes the bucket ${account.bucket.name}, and the rest of the stack`);
  if (found !== undefined && options.abandon !== true) await checkInFlight(terminal, deployment);
  if (options.yes !== true) {
    await confirm(terminal, `Delete the stack ${stackName} in account ${accountId}, region ${region}?`);
  }
  const kept =
    found === undefined ? new Map() : await untilInterrupted(terminal, destroyStack(terminal, account, found));
  await account.bucket.remove();
  terminal.line(`the stack ${stackName} and its bucket are deleted`);
  for (const [type, names] of kept) terminal.line(`kept: ${type}: ${names.join(' ')}`);
  for (const name of secrets) {
    terminal.line(`kept: aws secretsmanager delete-secret --region ${region} --secret-id ${name} deletes it`);
  }
}

/** @throws CliError when davit has launches in flight: nothing would end their agents */
async function checkInFlight(terminal: Terminal, deployment: Deployment): Promise<void> {
  const inFlight = await launchesInFlight(deployment);
  if (typeof inFlight === 'string') {
    terminal.note(`davit cannot be asked for launches in flight: ${inFlight}`);
    terminal.note('Agents that still run stay in their clusters.');
  } else if (inFlight > 0) {
    const message = `launches in flight: ${inFlight}; nothing would end their agents`;
    const list = `davit list --stack ${deployment.stackName} --status launching,connected,cleaning`;
    const advice = `${list} shows them, and davit end ends them. --abandon leaves them in their clusters.`;
    throw new CliError('failed', 'launches-in-flight', message, advice);
  }
}

/** The stack's template says which resources stay. */
async function tellKept(terminal: Terminal, { stack }: Account, { id, status }: StackState): Promise<void> {
  // A stack that waits for its first change set has no template yet, and no resources.
  if (status === 'REVIEW_IN_PROGRESS') return;
  const retained = retainedIds(await stack.template());
  const names = await stack.resources(id);
  for (const [type, ids] of retained) {
    terminal.note(`keeps ${ids.length} × ${type}: ${ids.map((one) => names.get(one) ?? one).join(' ')}`);
  }
}

async function destroyStack(terminal: Terminal, account: Account, { id, status }: StackState) {
  const deps = followDeps(terminal, account);
  if (isInProgress(status)) {
    terminal.note(`the stack is ${status}: waiting until CloudFormation has finished`);
    await followStack(deps, id, { since: await newestEvent(account.stack, id), isJustAsked: false });
  }
  return deleteStack(deps, id);
}
