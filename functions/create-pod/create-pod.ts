import * as z from 'zod';
import { agentPod } from '../domain/agent-objects.ts';
import type { Profile } from '../domain/config.ts';
import { TerminalError } from '../domain/errors.ts';
import { isLive } from '../domain/launch-record.ts';
import { agentExpiresAtEpochMs, LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import type { CredentialIssuer } from '../ports/credentials.ts';
import type { Launches } from '../ports/launches.ts';
import { createOnce } from '../steps/create-once.ts';
import { createWithinDeadlines } from '../steps/create-within-deadlines.ts';

const Exposed = LaunchPlan.extend({
  expose: z.literal('nodePort'),
  service: LaunchState.shape.service,
  nodePort: LaunchState.shape.nodePort,
});
const NotExposed = LaunchPlan.extend({ expose: z.literal('none') });

/** The plan and, for a launch that is exposed, the Service and its port: no Pod exists before they do. */
export const CreatePodInput = z.discriminatedUnion('expose', [Exposed, NotExposed]);
/** Becomes `$.pod`. */
export const CreatePodOutput = LaunchState.shape.pod;

/** What CreatePod needs. */
export interface CreatePodDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  credentials: CredentialIssuer;
  profiles: readonly Profile[];
  /** The API's base URL as Pods reach it, without a slash at the end. */
  publicUrl: string;
  nowEpochMs: () => number;
}

/**
 * Creates the launch's Pod from its profile's template, owned by its Service, with the agent's credential. The
 * credential is made here, so that it is never in the execution's data. Safe to repeat.
 *
 * @throws PendingError QuotaExceeded; TransientError; TerminalError as `createOnce`, ProfileUnknown, and
 *   PodDeadlineExceeded, QuotaDeadlineExceeded
 */
export async function createPod(
  deps: CreatePodDeps,
  input: z.infer<typeof CreatePodInput>,
): Promise<z.infer<typeof CreatePodOutput>> {
  const { launchId, agentName: pod, cluster: clusterName, namespace } = input;
  const about = { launchId, cluster: clusterName, namespace, pod };
  const deadline = {
    step: 'CreatePod',
    sinceEpochMs: input.expose === 'nodePort' ? input.nodePort.readAtEpochMs : input.startedAtEpochMs,
    seconds: input.deadlines.podSeconds,
    code: 'PodDeadlineExceeded',
  } as const;

  return await createWithinDeadlines(deps, input, deadline, async () => {
    const profile = deps.profiles.find(({ name }) => name === input.profile);
    if (profile === undefined) throw new TerminalError('ProfileUnknown', `no profile ${input.profile}`, about);
    const record = await deps.launches.get(launchId);
    if (record === undefined || !isLive(record)) {
      throw new TerminalError('LaunchOver', 'the launch was ended before its Pod was created', about);
    }
    const manifest = agentPod(input, profile, {
      env: { ...record.env, ...(await connectEnv(deps, input)) },
      labels: record.labels ?? {},
      serviceUid: input.expose === 'nodePort' ? input.service.uid : undefined,
    });
    const { pods } = await deps.openCluster(clusterName);
    const { object, isNew } = await createOnce(pods, deps.launches, launchId, manifest, about);
    const { uid, resourceVersion } = object.metadata;
    return { uid, resourceVersion: isNew ? resourceVersion : asItIs, createdAtEpochMs: deps.nowEpochMs() };
  });
}

/**
 * A Pod that was adopted may have its address already: a watch from here tells first how it is.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch
 */
const asItIs = '0';

async function connectEnv(deps: CreatePodDeps, plan: LaunchPlan): Promise<Record<string, string>> {
  const { agentName, launchId } = plan;
  const expiresAtEpochSeconds = Math.floor(agentExpiresAtEpochMs(plan) / 1000);
  return {
    DAVIT_CONNECT_URL: `${deps.publicUrl}/agents/${agentName}/connect`,
    DAVIT_AGENT_NAME: agentName,
    DAVIT_CREDENTIAL: await deps.credentials.issue({ agentName, launchId }, expiresAtEpochSeconds),
  };
}
