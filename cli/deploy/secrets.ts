import { readFile } from 'node:fs/promises';
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  paginateListSecrets,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { newWebhookSecret } from '../../ci/webhook-secret.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { ciCredentialSecrets } from '../../core/ci/ci-systems.ts';
import type { Config } from '../../core/config/config.ts';
import { secretIn } from '../../core/secret-in.ts';
import { calling } from '../api/aws-error.ts';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';
import { stackTag } from './bucket.ts';
import type { Deployment } from './deployment.ts';

/** A secret that davit.yaml names. */
export interface NeededSecret {
  /** Its name or ARN. */
  id: string;
  /** What it is, for a person. */
  what: string;
  /** Makes a value, for a secret that nobody else knows before davit does. */
  generate?: () => string;
}

/** What a deployment does about one secret. */
export interface SecretPlan extends NeededSecret {
  action: 'keep' | 'make' | 'replace';
  /** Where the value comes from: a file, or davit's own random bytes. */
  from?: { value: string; source: string };
}

/** Secrets Manager, as far as a deployment needs it. */
export interface SecretVault {
  find(id: string): Promise<'exists' | 'missing' | 'being deleted'>;
  read(id: string): Promise<string>;
  make(name: string, value: string): Promise<void>;
  replace(id: string, value: string): Promise<void>;
}

/** Lists the secrets that davit.yaml names, each once. */
export function neededSecrets({ clusters, ciSystems }: Config): NeededSecret[] {
  const needed: NeededSecret[] = [
    ...ciSystems.flatMap(ofCiSystem),
    ...clusters.flatMap((cluster) =>
      'kubeconfigSecret' in cluster
        ? [{ id: cluster.kubeconfigSecret, what: `the kubeconfig of the cluster ${cluster.name}` }]
        : [],
    ),
  ];
  return [...Map.groupBy(needed, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

function ofCiSystem(system: CiSystemConfig): NeededSecret[] {
  const { name, provider, webhookSecret } = system;
  const signing = { what: `signs the webhooks of ${name}`, generate: () => newWebhookSecret(provider) };
  return [
    ...(webhookSecret === undefined ? [] : [{ id: webhookSecret, ...signing }]),
    ...ciCredentialSecrets(system).map((id) => ({ id, what: `davit's credential for ${name}` })),
  ];
}

/**
 * Decides about every secret, and changes none.
 *
 * @param files the files of the caller's values, by the secrets' names
 * @throws CliError that names each secret that is missing and cannot be generated, and each file that is wrong
 */
export async function planSecrets(
  config: Config,
  files: Readonly<Record<string, string>>,
  vault: SecretVault,
): Promise<SecretPlan[]> {
  const needed = neededSecrets(config);
  const unknown = Object.keys(files).filter((id) => !needed.some((one) => one.id === id));
  if (unknown.length > 0) {
    const advice = `It names ${needed.map(({ id }) => id).join(', ') || 'none'}.`;
    throw new CliError('usage', 'secret-unknown', `davit.yaml names no secret ${unknown.join(', ')}`, advice);
  }
  const plans: SecretPlan[] = [];
  const missing: NeededSecret[] = [];
  for (const one of needed) {
    const plan = await planOf(one, files[one.id], vault);
    if (plan === undefined) missing.push(one);
    else plans.push(plan);
  }
  if (missing.length === 0) return plans;
  const names = missing.map(({ id, what }) => `  ${id}: ${what}`).join('\n');
  const message = `davit needs secrets that do not exist, and that it cannot make up:\n${names}`;
  const advice = `Give each: ${missing.map(({ id }) => `--secret ${id}=FILE`).join(' ')}`;
  throw new CliError('usage', 'secret-missing', message, advice);
}

/** @returns undefined for a secret whose value only the caller can give */
async function planOf(
  needed: NeededSecret,
  file: string | undefined,
  vault: SecretVault,
): Promise<SecretPlan | undefined> {
  const { id, generate } = needed;
  const found = await vault.find(id);
  const given = file === undefined ? undefined : { value: await valueIn(id, file), source: file };
  if (found === 'exists') {
    if (given === undefined || (await vault.read(id)) === given.value) return { ...needed, action: 'keep' };
    return { ...needed, action: 'replace', from: given };
  }
  if (found === 'being deleted') {
    const advice = `aws secretsmanager restore-secret --secret-id ${id}`;
    const message = `the secret ${id} is being deleted, and keeps its name until then`;
    throw new CliError('usage', 'secret-deleted', message, advice);
  }
  if (id.startsWith('arn:')) {
    const advice = 'Make it first, or name it in davit.yaml by its name.';
    throw new CliError('usage', 'secret-missing', `there is no secret ${id}, and AWS chooses ARNs`, advice);
  }
  if (given !== undefined) return { ...needed, action: 'make', from: given };
  return generate === undefined
    ? undefined
    : { ...needed, action: 'make', from: { value: generate(), source: 'random bytes' } };
}

async function valueIn(id: string, file: string): Promise<string> {
  try {
    const value = secretIn(await readFile(file, 'utf8'));
    if (value !== '') return value;
  } catch (error) {
    const advice = `--secret ${id}=FILE`;
    throw new CliError('usage', 'secret-file', `the file of the secret ${id}: ${wordsOf(error)}`, advice, error);
  }
  throw new CliError('usage', 'secret-file', `the file of the secret ${id}, ${file}, is empty`);
}

/** Makes and replaces secrets as planned. */
export async function applySecrets(plans: readonly SecretPlan[], vault: SecretVault): Promise<void> {
  for (const { id, action, from } of plans) {
    if (from === undefined) continue;
    if (action === 'make') await vault.make(id, from.value);
    if (action === 'replace') await vault.replace(id, from.value);
  }
}

/** One line of a plan. It has no part of a value. */
export function secretLine({ id, what, action, from }: SecretPlan): string {
  const does = {
    keep: 'exists',
    make: `is made from ${from?.source ?? ''}`,
    replace: `gets a new version from ${from?.source ?? ''}`,
  }[action];
  return `secret ${id} (${what}): ${does}`;
}

function call<Result>(id: string, action: string, work: Promise<Result>): Promise<Result> {
  return calling(`the secret ${id}`, `secretsmanager:${action}`, work);
}

/** Opens Secrets Manager. @throws CliError of each method, when AWS refuses or does not answer */
export function openVault(client: SecretsManagerClient, { stackName }: Deployment): SecretVault {
  return {
    async find(id) {
      try {
        const { DeletedDate } = await client.send(new DescribeSecretCommand({ SecretId: id }));
        return DeletedDate === undefined ? 'exists' : 'being deleted';
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return 'missing';
        return call(id, 'DescribeSecret', Promise.reject(error));
      }
    },
    async read(id) {
      const { SecretString } = await call(
        id,
        'GetSecretValue',
        client.send(new GetSecretValueCommand({ SecretId: id })),
      );
      return SecretString ?? '';
    },
    async make(Name, SecretString) {
      const Tags = [{ Key: stackTag, Value: stackName }];
      await call(Name, 'CreateSecret', client.send(new CreateSecretCommand({ Name, SecretString, Tags })));
    },
    async replace(SecretId, SecretString) {
      await call(SecretId, 'PutSecretValue', client.send(new PutSecretValueCommand({ SecretId, SecretString })));
    },
  };
}

/** Lists the names of the secrets that deployments of a stack made. */
export async function secretsMadeFor(client: SecretsManagerClient, { stackName }: Deployment): Promise<string[]> {
  const Filters = [
    { Key: 'tag-key' as const, Values: [stackTag] },
    { Key: 'tag-value' as const, Values: [stackName] },
  ];
  const names: string[] = [];
  for await (const { SecretList = [] } of paginateListSecrets({ client }, { Filters })) {
    for (const { Name, Tags = [] } of SecretList) {
      const isOurs = Tags.some(({ Key, Value }) => Key === stackTag && Value === stackName);
      if (Name !== undefined && isOurs) names.push(Name);
    }
  }
  return names;
}
