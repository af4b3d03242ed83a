import { X509Certificate } from 'node:crypto';
import { readKubeconfig } from '../../adapters/kubernetes/read-kubeconfig.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { ciCredentialSecrets } from '../../core/ci/ci-systems.ts';
import type { Config } from '../../core/config/config.ts';
import { KeptElsewhere, type ReadSecret } from '../api/secret-source.ts';
import { wordsOf } from '../words-of.ts';
import { type Finding, ok, problem, skipped } from './finding.ts';

/** Checks that each secret of davit.yaml exists and is usable. Shows no part of their values. */
export async function checkSecrets(config: Config, read: ReadSecret): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const cluster of config.clusters) {
    if ('kubeconfigSecret' in cluster) {
      found.push(await checkSecret(cluster.kubeconfigSecret, `of cluster ${cluster.name}`, read, checkKubeconfig));
    }
  }
  for (const system of config.ciSystems) found.push(...(await checkCiSecrets(system, read)));
  return found;
}

async function checkCiSecrets(system: CiSystemConfig, read: ReadSecret): Promise<Finding[]> {
  const of = `of CI system ${system.name}`;
  const webhooks = system.webhookSecret === undefined ? [] : [system.webhookSecret];
  const checkSigning = system.provider === 'standard' ? checkStandard : checkLength;
  const isApp = 'app' in system && system.app !== undefined;
  return Promise.all([
    ...webhooks.map((id) => checkSecret(id, of, read, checkSigning)),
    ...ciCredentialSecrets(system).map((id) => checkSecret(id, of, read, isApp ? checkPem : checkLine)),
  ]);
}

/** @param problemIn returns the problem of a value, if it has one */
async function checkSecret(
  id: string,
  of: string,
  read: ReadSecret,
  problemIn: (text: string) => string | undefined,
): Promise<Finding> {
  const about = `secret ${id} ${of}`;
  try {
    const wrong = problemIn(await read(id));
    if (wrong === undefined) return ok(about, 'exists, and is valid');
    return problem(about, wrong, 'davit cannot use it.', fixOf(id));
  } catch (error) {
    if (error instanceof KeptElsewhere) return skipped(about, error.message);
    return problem(about, wordsOf(error), 'davit cannot act without it.', fixOf(id));
  }
}

function fixOf(id: string): string {
  return `aws secretsmanager put-secret-value --secret-id ${id} --secret-string file://FILE; locally: davit local --secret ${id}=FILE`;
}

function checkKubeconfig(text: string): string | undefined {
  try {
    const user: unknown = readKubeconfig(text).kubeConfig.getCurrentUser();
    return certificateProblem(user);
  } catch (error) {
    return wordsOf(error);
  }
}

function certificateProblem(user: unknown): string | undefined {
  if (typeof user !== 'object' || user === null || !('certData' in user) || typeof user.certData !== 'string')
    return undefined;
  const { validTo } = new X509Certificate(Buffer.from(user.certData, 'base64'));
  return Date.parse(validTo) < Date.now() ? `its client certificate has expired at ${validTo}` : undefined;
}

/** Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes. */
function checkStandard(text: string): string | undefined {
  const bytes = Buffer.from(/^whsec_([A-Za-z0-9+/]+=*)$/.exec(text)?.[1] ?? '', 'base64').length;
  return bytes >= 24 && bytes <= 64 ? undefined : 'expected whsec_ and base64 of 24 to 64 bytes';
}

function checkLength(text: string): string | undefined {
  if (/^\s|\s$/.test(text)) return 'begins or ends with white space: CI systems sign without it';
  return text.length >= 16 ? undefined : `has ${text.length} characters; expected 16 or more`;
}

function checkLine(text: string): string | undefined {
  return /^\S+$/.test(text) ? undefined : 'expected one word';
}

function checkPem(text: string): string | undefined {
  return text.includes('-----BEGIN') && text.includes('PRIVATE KEY-----') ? undefined : 'expected a private key in PEM';
}
