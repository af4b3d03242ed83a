import { printable } from '../../core/printable.ts';
import { readPlaces } from '../api/connection.ts';
import { type ConfigOptions, openConfig } from '../api/open-config.ts';
import { outputsOf, publicUrlOf } from '../api/stack.ts';
import type { Target } from '../api/target.ts';
import { CliError } from '../cli-error.ts';
import { scopesOf } from '../doctor/check-ci.ts';
import type { Terminal } from '../terminal.ts';
import { type PutWebhook, putWebhooks, type WebhookPlan } from './put-webhooks.ts';

/** The options of `davit webhook`. */
export interface WebhookOptions extends ConfigOptions {
  scope?: string[];
  publicUrl?: string;
  replace?: boolean;
}

/**
 * Makes or corrects the webhooks of davit.yaml's CI systems.
 *
 * @param name the only CI system to do it for @default every one
 * @throws CliError when one could not be made; ConfigError
 */
export async function runWebhook(name: string | undefined, options: WebhookOptions, terminal: Terminal): Promise<void> {
  const { target, config, secrets, open } = await openConfig(options, terminal);
  const systems = config.ciSystems.filter((system) => name === undefined || system.name === name);
  if (systems.length === 0) {
    const known = config.ciSystems.map((system) => system.name).join(', ');
    const words = known === '' ? 'no CI system' : `no CI system ${name}: it has ${known}`;
    throw new CliError('unknown', 'ci-system-unknown', `${options.config} has ${words}`);
  }
  const publicUrl = await publicUrlFor(target, options);
  if (publicUrl === undefined) throw noPublicUrl();
  const named = options.scope ?? [];
  const scopes = scopesOf(config, named);
  const polledScopes = named.length === 0 ? [] : scopes;
  const { replace = false } = options;
  const opened = { openCiSystem: open(systems), readSecret: secrets.read };
  const plan = { systems, publicUrl, scopes, polledScopes, replace, ...opened };
  const put = await tellWebhooks(plan, terminal);
  const failed = put.filter(({ outcome }) => outcome === 'failed').length;
  if (failed > 0)
    throw new CliError('failed', 'webhook-missing', `${failed} of ${put.length} webhooks could not be made`);
}

/** Makes webhooks, and writes a line for each. */
export async function tellWebhooks(plan: WebhookPlan, terminal: Terminal): Promise<PutWebhook[]> {
  const all: PutWebhook[] = [];
  for await (const put of putWebhooks(plan)) {
    all.push(put);
    for (const line of linesOf(put, terminal)) terminal.line(line);
  }
  return all;
}

const styles = { made: 'good', corrected: 'good', skipped: 'faint', failed: 'bad' } as const;

function linesOf({ about, outcome, words, fix }: PutWebhook, terminal: Terminal): string[] {
  const mark = terminal.style(styles[outcome], outcome.padEnd('corrected'.length));
  const advice = fix === undefined ? [] : [`           ${terminal.style('strong', '→')} ${printable(fix)}`];
  return [`${mark}  webhook of ${printable(about)}: ${printable(words)}`, ...advice];
}

/**
 * Finds the URL at which CI systems reach a davit, without a slash at its end.
 *
 * @returns undefined for a davit that is named by its URL only
 * @throws CliError `url-invalid`
 */
export async function publicUrlFor(
  target: Target,
  { publicUrl, state, region }: Pick<WebhookOptions, 'publicUrl' | 'state' | 'region'>,
): Promise<string | undefined> {
  if (publicUrl !== undefined) return trimmed(publicUrl);
  if (target.kind === 'state') return trimmed((await readPlaces(state)).publicUrl);
  const url = target.kind === 'stack' ? publicUrlOf(await outputsOf(target.stack, region)) : undefined;
  return url && trimmed(url);
}

function noPublicUrl(): CliError {
  const advice = 'Give the URL at which the CI systems reach this davit: --public-url https://davit.example.com';
  const message = '--public-url is required for a davit that is named by its URL';
  return new CliError('usage', 'option-missing', message, advice);
}

function trimmed(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CliError('usage', 'url-invalid', `--public-url: expected an http or https URL, found '${url}'`);
  return url.replace(/\/+$/, '');
}
