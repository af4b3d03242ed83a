import type { LaunchState } from '../../core/launch/execution-state.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { createPod } from '../../functions/create-pod/create-pod.ts';
import { createService } from '../../functions/create-service/create-service.ts';
import { pollHostIP } from '../../functions/poll-host-ip/poll-host-ip.ts';
import { pollNodePort } from '../../functions/poll-node-port/poll-node-port.ts';
import { awaitAgent } from '../../functions/publish-token/await-agent.ts';
import { publish } from '../../functions/publish-token/publish.ts';
import { makeTestDeps, requestLaunch, type TestDeps, testAgentName } from './make-test-deps.ts';

/** The data of an exposed launch, with the output of the steps so far. */
export type Exposed<Done extends keyof LaunchState> = LaunchPlan & { expose: 'nodePort' } & Pick<LaunchState, Done>;

/** New dependencies, and a launch that has come as far as this function brings it. */
export async function launchAt<State>(
  bring: (deps: TestDeps) => Promise<State>,
): Promise<{ deps: TestDeps; state: State }> {
  const deps = makeTestDeps();
  return { deps, state: await bring(deps) };
}

/** A requested launch, before its first step. */
export async function requested(deps: TestDeps, overrides: Partial<LaunchPlan> = {}): Promise<Exposed<'launchId'>> {
  return { ...(await requestLaunch(deps, overrides)), expose: 'nodePort' };
}

/** A launch whose Service exists. */
export async function withService(deps: TestDeps, overrides: Partial<LaunchPlan> = {}): Promise<Exposed<'service'>> {
  const state = await requested(deps, overrides);
  return { ...state, service: await createService(deps, state) };
}

/** A launch whose nodePort is known. */
export async function withNodePort(
  deps: TestDeps,
  overrides: Partial<LaunchPlan> = {},
): Promise<Exposed<'service' | 'nodePort'>> {
  const state = await withService(deps, overrides);
  return { ...state, nodePort: await pollNodePort(deps, state) };
}

/** A launch whose Pod exists; no kubelet has reported on it yet. */
export async function withPod(
  deps: TestDeps,
  overrides: Partial<LaunchPlan> = {},
): Promise<Exposed<'service' | 'nodePort' | 'pod'>> {
  const state = await withNodePort(deps, overrides);
  const made = await createPod(deps, state);
  return { ...state, pod: { ...made, made } };
}

/** A launch whose Pod runs on a node at 10.0.0.7. */
export async function withPlacement(
  deps: TestDeps,
  overrides: Partial<LaunchPlan> = {},
): Promise<Exposed<'service' | 'nodePort' | 'pod' | 'placement'>> {
  const state = await withPod(deps, overrides);
  deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });
  const seen = await pollHostIP(deps, state);
  return { ...state, placement: { ...seen, seen } };
}

/** A launch whose token is published, so that its agent may connect. */
export async function withToken(
  deps: TestDeps,
  overrides: Partial<LaunchPlan> = {},
): Promise<Exposed<'service' | 'nodePort' | 'pod' | 'placement' | 'token'>> {
  const state = await withPlacement(deps, overrides);
  return { ...state, token: await publish(deps, state) };
}

/** A launch whose agent has connected: it succeeded. */
export async function withAgent(
  deps: TestDeps,
  overrides: Partial<LaunchPlan> = {},
): Promise<Exposed<'service' | 'nodePort' | 'pod' | 'placement' | 'token'>> {
  const state = await withToken(deps, overrides);
  await deps.launches.markConnected(state, deps.nowEpochMs());
  await awaitAgent(deps, state);
  return state;
}
