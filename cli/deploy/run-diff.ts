import { readConfig } from '../../core/config/read-config.ts';
import { type Terminal, untilInterrupted } from '../terminal.ts';
import { changeLines, newStackLines } from './change-words.ts';
import { makeChangeSet } from './deploy-stack.ts';
import { findDeployment } from './deployment.ts';
import { openAccount, prepare, readTemplateOptions, type TemplateOptions, templateUrl } from './prepare.ts';
import { followDeps, type StackOptions, stackNameOf } from './run-deploy.ts';

/**
 * Prints what a deployment would change in the stack, by a change set that is deleted at once.
 *
 * @throws CliError, ConfigError
 */
export async function runDiff(
  options: StackOptions & TemplateOptions & { config: string },
  terminal: Terminal,
): Promise<void> {
  const config = await readConfig(options.config);
  readTemplateOptions(options);
  const deployment = await findDeployment(stackNameOf(options, terminal), options.region);
  using account = openAccount(deployment);
  const { stack, bucket } = account;
  const { template, templateKey } = await prepare(config, deployment, options);
  for (const warning of template.warnings) terminal.note(`warning: ${warning}`);
  const state = await stack.describe();
  const keys = await bucket.keys();
  if (state === undefined || keys === undefined) {
    terminal.note(`no davit deploy has made the stack ${deployment.stackName} yet: it would be made with`);
    for (const line of newStackLines(template.body)) terminal.line(line);
    return;
  }
  if (!keys.has(templateKey)) await bucket.put(templateKey, template.body, 'application/json');
  const url = templateUrl(deployment, bucket.name, templateKey);
  const changeSet = await untilInterrupted(terminal, makeChangeSet(followDeps(terminal, account), 'UPDATE', url));
  if (changeSet !== undefined) await stack.deleteChangeSet(changeSet.id);
  for (const line of changeSet === undefined ? ['no changes'] : changeLines(changeSet.changes)) terminal.line(line);
}
