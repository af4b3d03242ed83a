import { openCiSystems } from '../../ci/open-ci-systems.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { printable } from '../../core/printable.ts';
import { localConfigOf } from '../../local/runtime/local-secrets.ts';
import { type ConnectionOptions, readPlaces } from '../api/connection.ts';
import { installationIdReader } from '../api/installation-id.ts';
import { openSecretSource, type SecretSource } from '../api/secret-source.ts';
import { outputsOf, publicUrlOf } from '../api/stack.ts';
import { type Target, targetOf } from '../api/target.ts';
import { CliError } from '../cli-error.ts';
import { scopesOf } from '../doctor/check-ci.ts';
import type { Terminal } from '../terminal.ts';
import { type PutWebhook, putWebhooks, type WebhookPlan } from './put-webhooks.ts';

/** The options of `davit webhook`. */
export interface WebhookOptions extends Omit<ConnectionOptions, 'token'> {
  config: string;
  scope?: string[];
  /** Files of secrets, by the names in davit.yaml. */
  secret: Readonly<Record<string, string>>;
  publicUrl?: string;
  replace?: boolean;
}

const ciRequestMs = 10_000;

/**
 * Makes or corrects the webhooks of davit.yaml's CI systems.
 *
 * @param name the only CI system to do it for @default every one
 * @throws CliError when one could not be made; ConfigError
 */
export async function runWebhook(name: string | undefined, options: WebhookOptions, terminal: Terminal): Promise<void> {
  const { state, region, replace = false } = options;
  const target = targetOf(options, terminal.env);
  const written = await readConfig(options.config);
  const config = target.kind === 'stack' ? written : localConfigOf(written);
  const systems = config.ciSystems.filter((system) => name === undefined || system.name === name);
  if (systems.length === 0) {
    const known = config.ciSystems.map((system) => system.name).join(', ');
    const words = known === '' ? 'no CI system' : `no CI system ${name}: it has ${known}`;
    throw new CliError('unknown', 'ci-system-unknown', `${options.config} has ${words}`);
  }
  const publicUrl = await publicUrlFor(target, options);
  if (publicUrl === undefined) throw noPublicUrl();
  const kept = { target, isLocal: target.kind === 'state', state, region };
  const secrets = openSecretSource({ ...kept, files: options.secret });
  const named = options.scope ?? [];
  const scopes = scopesOf(config, named);
  const polledScopes = named.length === 0 ? [] : scopes;
  const open = openings(systems, secrets, installationIdReader(kept));
  const put = await tellWebhooks({ systems, publicUrl, scopes, polledScopes, replace, ...open }, terminal);
  const failed = put.filter(({ outcome }) => outcome === 'failed').length;
  if (failed > 0)
    throw new CliError('failed', 'webhook-missing', `${failed} of ${put.length} webhooks could not be made`);
}

/** How the webhooks' systems and secrets are reached. */
export function openings(
  systems: WebhookPlan['systems'],
  secrets: SecretSource,
  readInstallationId: () => Promise<string>,
): Pick<WebhookPlan, 'openCiSystem' | 'readSecret'> {
  const readSecret = (id: string) => secrets.read(id);
  const openCiSystem = openCiSystems({ systems, secrets, readInstallationId, timeoutMs: ciRequestMs });
  return { openCiSystem, readSecret };
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
  return new CliError(
    'usage',
    'option-missing',
    '--public-url is required for a davit that is named by its URL',
    advice,
  );
}

function trimmed(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CliError('usage', 'url-invalid', `--public-url: expected an http or https URL, found '${url}'`);
  return url.replace(/\/+$/, '');
}
