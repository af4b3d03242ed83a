import { writeFile } from 'node:fs/promises';
import { printable } from '../../core/printable.ts';
import { davitVersion } from '../../core/version.ts';
import { orRefused } from '../api/ci-errors.ts';
import { targetOf } from '../api/target.ts';
import { confirm } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import { type Terminal, untilRemoved } from '../terminal.ts';
import { wordsOf } from '../words-of.ts';
import type { Acceptance } from './acceptance.ts';
import { judgeTrace } from './judge-trace.ts';
import { type AcceptanceOptions, prepare } from './prepare.ts';
import { reportText } from './report.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario, ScenarioResult } from './scenario.ts';
import { allScenarios } from './scenarios/all-scenarios.ts';
import { lostWebhook } from './scenarios/lost-webhook.ts';

const permissions = 'The credential needs more than davit does: docs/acceptance.md lists its permissions.';

/**
 * Runs the scenarios in the caller's CI system, and writes the report.
 *
 * @throws CliError when something did not hold or stays behind, and on Ctrl-C, after the removal; ConfigError
 */
export async function runAcceptance(options: AcceptanceOptions, terminal: Terminal): Promise<void> {
  const scenarios = chosenScenarios(options.scenario ?? []);
  const left: string[] = [];
  const { acceptance, cluster } = await prepare(options, terminal, (words) => {
    left.push(words);
    terminal.note(printable(words));
  });
  const ci = await orRefused(acceptance.ci.readVersion(), permissions);
  await ask(options, terminal, acceptance, scenarios);
  const ran = untilRemoved(terminal, collect(acceptance, scenarios, terminal), 'what was made');
  const results = await orRefused(ran, permissions);
  const trace = await judgeTrace(targetOf(options, terminal.env).kind === 'state' ? options.state : undefined);
  const versions = { davit: davitVersion, ci, kubernetes: cluster?.version, node: process.versions.node };
  const day = new Date(terminal.nowEpochMs()).toISOString().slice(0, 10);
  await publish(terminal, reportText({ versions, day, results, trace }), options.report);
  checkHeld([...results, { name: 'trace', ...trace }], left);
}

/** @throws CliError when something did not hold, or could not be removed */
function checkHeld(results: readonly Pick<ScenarioResult, 'name' | 'verdict'>[], left: readonly string[]): void {
  const broken = results.filter(({ verdict }) => verdict === 'not-held').map(({ name }) => name);
  if (broken.length > 0) throw new CliError('failed', 'not-held', `davit does not hold: ${broken.join(', ')}`);
  if (left.length > 0) throw new CliError('failed', 'left-behind', 'not everything could be removed');
}

function chosenScenarios(names: readonly string[]): readonly Scenario[] {
  const known = allScenarios.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return allScenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  throw new CliError('usage', 'scenario-unknown', `there is no scenario ${unknown}: there are ${known.join(', ')}`);
}

async function ask(
  { yes }: AcceptanceOptions,
  terminal: Terminal,
  { ci, labels, webhook }: Acceptance,
  scenarios: readonly Scenario[],
): Promise<void> {
  const isTurnedOff = webhook !== undefined && scenarios.includes(lostWebhook);
  const more = isTurnedOff ? ', and turn off the webhook of the repository for up to a minute' : '';
  const what = `${ci.makes}, run their jobs on ${labels.join(', ')}${more}`;
  if (yes === true) terminal.note(`this will ${what}`);
  else await confirm(terminal, `This will ${what}. Go on?`, 'the CI system');
}

async function collect(
  acceptance: Acceptance,
  scenarios: readonly Scenario[],
  terminal: Terminal,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for await (const result of runScenarios(acceptance, scenarios)) {
    results.push(result);
    const { name, verdict, why, details } = result;
    terminal.note(printable(`${verdict}  ${[name, ...why].join('; ')}`));
    for (const detail of details) terminal.note(printable(`  ${detail}`));
  }
  return results;
}

async function publish(terminal: Terminal, text: string, file: string | undefined): Promise<void> {
  if (file === undefined) return terminal.line(text.trimEnd());
  try {
    await writeFile(file, text);
  } catch (error) {
    terminal.line(text.trimEnd());
    throw new CliError('usage', 'report-unwritable', `${file} cannot be written: ${wordsOf(error)}`, undefined, error);
  }
  terminal.note(`the report is in ${file}`);
}
