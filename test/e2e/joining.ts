import * as z from 'zod';
import { CiSystemConfig } from '../../functions/domain/ci-system-config.ts';
import { type Config, Profile } from '../../functions/domain/config.ts';
import type { Join } from '../../functions/domain/join.ts';
import { agentNameOf, type LaunchId } from '../../functions/domain/names.ts';
import { planLaunch } from '../../functions/domain/plan-launch.ts';
import { requestLaunch } from '../../functions/launch-lifecycle/request-launch.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import type { FakeGithub } from '../ci/github/start-github.ts';
import { until } from '../cluster/until.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { idle } from '../support/profile-like.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

const membership: Join = { ciSystem: 'acme', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 };
const tokenSecret = 'acme-token';
const patienceMs = 30_000;

/** Adds a GitHub by the name `acme` to a config. */
export function withGithub(config: Config, { url }: FakeGithub): Config {
  const system = { name: 'acme', provider: 'github', url, webhookSecret: 'acme-hook', tokenSecret };
  return { ...config, ciSystems: [...config.ciSystems, CiSystemConfig.parse(system)] };
}

/** The secrets that davit needs to act there. */
export function secretsOf({ token }: FakeGithub): Record<string, string> {
  return { [tokenSecret]: token };
}

/** Asks for a launch whose agent joins a CI system. @param join @default the organisation `acme` of the GitHub */
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

/** What an agent was answered. */
export interface Connected {
  status: number;
  text: string;
  environment?: Record<string, string> | undefined;
}

const Body = z.looseObject({ environment: z.optional(z.record(z.string(), z.string())) });

/** Asks in the place of an agent, until its token is published. */
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

/** A profile whose agents are registered, and wait until somebody connects in their place. */
export function joiningProfile({ clusters, profiles }: Config): Profile {
  return Profile.parse({
    name: joining,
    labels: [joining],
    clusters: clusters.map(({ name }) => name),
    namespace: profiles[0]?.namespace,
    runner: 'github',
    scope: 'repository',
    template: { spec: { containers: [{ name: 'agent', ...idle, command: ['sleep', '3600'] }] } },
  });
}

/** Its name, and its label. */
export const joining = 'joining';
/** The repository of GitHub's real payloads. */
export const exampleOwner = 'Octocoders';
export const exampleRepository = 'Hello-World';

/** Has davit reconcile once. @throws Error when it came to no end */
export async function reconcileOnce(davit: TestRuntime): Promise<void> {
  const { functionError, payload } = await davit.runtime.functions.invoke('reconcile' satisfies FunctionName, {});
  if (functionError !== undefined) throw new Error(JSON.stringify(payload));
}
