import * as z from 'zod';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Join } from '../../core/ci/join.ts';
import { type Config, Profile } from '../../core/config/config.ts';
import { agentNameOf, type LaunchId } from '../../core/launch/names.ts';
import { planLaunch } from '../../core/launch/plan-launch.ts';
import { requestLaunch } from '../../logic/lifecycle/request-launch.ts';
import type { CheckedGithub } from '../prove/ci/github/start-checked-github.ts';
import { until } from '../prove/cluster/until.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { idle } from '../support/profile-like.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

const system = 'acme';
const membership: Join = { ciSystem: system, scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 };
const tokenSecret = 'acme-token';
const patienceMs = 120_000;
const roundMs = 60_000;

/** Adds a GitHub named `acme` to a config. */
export function withGithub(config: Config, { url }: CheckedGithub): Config {
  const added = { name: system, provider: 'github', url, webhookSecret: 'acme-hook', tokenSecret };
  return { ...config, ciSystems: [...config.ciSystems, CiSystemConfig.parse(added)] };
}

/** The secrets that davit needs to act there. */
export function secretsOf({ token }: CheckedGithub): Record<string, string> {
  return { [tokenSecret]: token };
}

/** Requests a launch whose agent joins a CI system. @param join @default the organization `acme` of the GitHub */
export async function launchJoining(
  davit: TestRuntime,
  launchId: LaunchId,
  profileName: string,
  join: Join = membership,
): Promise<void> {
  const profile = davit.config.profiles.find(({ name }) => name === profileName);
  if (profile === undefined) throw new Error(`there is no profile ${profileName}`);
  const plan = { ...planLaunch(profile, { launchId }, Date.now()), join };
  await requestLaunch(davit.runtime.ports, plan);
}

/** An answer to an agent. */
export interface Connected {
  status: number;
  text: string;
  environment?: Record<string, string> | undefined;
}

const Body = z.looseObject({ environment: z.optional(z.record(z.string(), z.string())) });

/** Connects in the place of an agent, and retries until its token is published. */
export async function connectAs(davit: TestRuntime, launchId: LaunchId): Promise<Connected> {
  const agentName = agentNameOf(launchId);
  return await until(`${launchId} is answered`, patienceMs, async () => {
    const credential = credentialInPod(davit, agentName);
    if (credential === undefined) return undefined;
    const url = `${davit.runtime.url}/agents/${agentName}/connect`;
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${credential}` } });
    const text = await response.text();
    if (text.includes('token-pending')) return undefined;
    return { status: response.status, text, environment: Body.parse(JSON.parse(text)).environment };
  });
}

/** A profile whose agents are registered, and wait until a test connects in their place. */
export function joiningProfile({ clusters, profiles }: Config): Profile {
  return Profile.parse({
    name: joining,
    labels: [joining],
    clusters: clusters.map(({ name }) => name),
    namespace: profiles[0]?.namespace,
    runner: 'github',
    scope: 'repository',
    tellAfterSeconds: 1,
    template: { spec: { containers: [{ name: 'agent', ...idle, command: ['sleep', '3600'] }] } },
  });
}

/** Its name, and its label. */
export const joining = 'joining';
/** The repository of GitHub's real payloads. */
export const exampleOwner = 'Octocoders';
export const exampleRepository = 'Hello-World';

/** Runs a reconcile, a minute after the last one by its own clock. @throws Error when it fails */
export async function reconcileOnce(davit: TestRuntime): Promise<void> {
  await ageLooks(davit);
  const { functionError, payload } = await davit.runtime.invoke('reconcile', {});
  if (functionError !== undefined) throw new Error(JSON.stringify(payload));
}

/** Makes the last round's looks a minute older: looks that are closer together count as one. */
async function ageLooks({ runtime }: TestRuntime): Promise<void> {
  const { jobs } = runtime.ports;
  const looks = await jobs.readLooks(system);
  for (const [pool, look] of looks) {
    await jobs.keepLook(system, pool, { ...look, atEpochMs: look.atEpochMs - roundMs }, Date.now());
  }
}
