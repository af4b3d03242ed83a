import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { printable } from '../../core/printable.ts';
import { answered } from '../api/client.ts';
import { CliError } from '../cli-error.ts';
import type { DoctorOptions } from '../doctor/diagnose.ts';
import { type Finding, ok, type Verdict } from '../doctor/finding.ts';
import { type Style, type Terminal, untilInterrupted } from '../terminal.ts';
import { durationWords } from '../view/duration.ts';
import { wordsOf } from '../words-of.ts';
import { type ApiOptions, apiCommand, collect, openApi, pairs } from './command-options.ts';
import { followLaunch } from './follow.ts';

/** The options of the command. */
export interface DoctorCommandOptions extends ApiOptions, Omit<DoctorOptions, 'scope'> {
  scope?: string[];
}

const marks: Readonly<Record<Verdict, readonly [string, Style]>> = {
  ok: ['ok     ', 'good'],
  warning: ['warning', 'warning'],
  problem: ['problem', 'bad'],
  skipped: ['skipped', 'faint'],
};

const deepMs = 15 * 60_000;

/** Adds `davit doctor`. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  apiCommand(
    program,
    'doctor',
    'find what is wrong before a launch does; the exit code is 1 if something is',
    'davit doctor',
    'davit doctor --secret davit-token-gitea=token --scope acme',
    'davit doctor --stack Davit --kubeconfig ~/.kube/config --scope acme',
    'davit doctor --deep linux',
  )
    .option('--config <file>', 'the davit.yaml to check', 'davit.yaml')
    .option('--kubeconfig <file>', "the caller's way into the clusters (default: the local davit's, or KUBECONFIG)")
    .option(
      '--cluster <name=context>',
      'the context of the kubeconfig that reaches a cluster, if not the current one; may be given several times',
      pairs,
    )
    .option(
      '--scope <owner>',
      'where davit acts in the CI systems: acme or acme/app; may be given several times',
      collect,
    )
    .option('--secret <name=file>', 'look at this file in place of the secret, as for davit local', pairs, {})
    .option('--deep <profile>', 'also launch an agent of this profile, wait until it connects, and end it')
    .action((options: DoctorCommandOptions) => doctor(terminal, options));
}

/**
 * Runs every check and writes its findings.
 *
 * @throws CliError when one of them is a problem
 */
export async function doctor(terminal: Terminal, options: DoctorCommandOptions): Promise<void> {
  // Loads it only here, because Kubernetes' client takes half a second to load.
  const { diagnose } = await import('../doctor/diagnose.ts');
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    if (options.output === 'table') for (const line of findingLines(terminal, finding)) terminal.line(line);
  };
  const all = async () => {
    for await (const finding of diagnose({ ...options, scope: options.scope ?? [] }, terminal)) tell(finding);
  };
  await untilInterrupted(terminal, all());
  if (options.deep !== undefined) tell(await tryLaunch(terminal, options, options.deep));
  if (options.output === 'json') terminal.line(JSON.stringify(findings, undefined, 2));
  const problems = findings.filter(({ verdict }) => verdict === 'problem').length;
  if (problems > 0)
    throw new CliError('failed', 'problems-found', `${problems} of ${findings.length} checks found a problem`);
}

function findingLines(terminal: Terminal, { verdict, about, what, why, fix }: Finding): string[] {
  const [mark, style] = marks[verdict];
  return [
    `${terminal.style(style, mark)}  ${printable(about)}: ${printable(what)}`,
    ...(why === undefined ? [] : [`         ${why}`]),
    ...(fix === undefined ? [] : [`         ${terminal.style('strong', '→')} ${printable(fix)}`]),
  ];
}

/** Launches an agent, waits until it has connected, and ends it. @throws CliError on Ctrl-C */
async function tryLaunch(terminal: Terminal, options: DoctorCommandOptions, profile: string): Promise<Finding> {
  const about = `a launch of ${profile}`;
  const startedAtEpochMs = terminal.nowEpochMs();
  let launchId: string | undefined;
  try {
    const api = await openApi(options, terminal);
    const params = { header: { 'Idempotency-Key': `doctor-${randomUUID()}` } };
    ({ launchId } = answered(await api.POST('/launches', { body: { profile }, params }), 'launchId'));
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(deepMs)]);
    for await (const launch of followLaunch(api, launchId, signal)) {
      if (launch.status === 'launching') continue;
      await api.DELETE('/launches/{launchId}', { params: { path: { launchId } } });
      if (launch.status === 'connected') {
        return ok(
          about,
          `its agent connected after ${durationWords(terminal.nowEpochMs() - startedAtEpochMs)}; it is ended`,
        );
      }
      const { message = 'it was ended', advice = `davit show ${launchId}` } = launch.ending ?? {};
      return { verdict: 'problem', about, what: message, why: 'Jobs would fail in the same way.', fix: advice };
    }
  } catch (error) {
    const fix = 'davit list --status launching; davit end LAUNCH ends it';
    if (terminal.signal.aborted) {
      const end = launchId === undefined ? fix : `davit end ${launchId}`;
      throw new CliError('interrupted', 'interrupted', 'stopped; the launch continues', end, error);
    }
    return { verdict: 'problem', about, what: wordsOf(error), why: 'Jobs would fail in the same way.', fix };
  }
  throw new TypeError('a followed launch ends by return or throw');
}
