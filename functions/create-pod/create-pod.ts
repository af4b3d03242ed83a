import { agentPod } from '../domain/agent-objects.ts';
import type { Profile } from '../domain/config.ts';
import { TerminalError } from '../domain/errors.ts';
import { isLive } from '../domain/launch-record.ts';
import { agentExpiresAtEpochMs, CreatedPod, LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import { annotationKeys } from '../domain/names.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import type { CredentialIssuer } from '../ports/credentials.ts';
import type { Launches } from '../ports/launches.ts';
import { createOnce } from '../steps/create-once.ts';
import { createWithinDeadlines } from '../steps/create-within-deadlines.ts';
import * as z from '../zod.ts';

const Exposed = z.extend(LaunchPlan, {
  expose: z.literal('nodePort'),
  service: LaunchState.shape.service,
  nodePort: LaunchState.shape.nodePort,
});
const NotExposed = z.extend(LaunchPlan, { expose: z.literal('none') });

/** The plan and, for a launch that is exposed, the Service and its port: no Pod exists before they do. */
export const CreatePodInput = z.discriminatedUnion('expose', [Exposed, NotExposed]);
/** Becomes `$.pod`, and whole `$.pod.made`. */
export const CreatePodOutput = z.extend(z.omit(LaunchState.shape.pod, { made: true }), CreatedPod.shape);

/** What CreatePod needs. */
export interface CreatePodDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  credentials: CredentialIssuer;
  /** Makes an id that nothing else has. */
  newCredentialId: () => string;
  profiles: readonly Profile[];
  /** The API's base URL as Pods reach it, without a slash at the end. */
  publicUrl: string;
  nowEpochMs: () => number;
}

/**
 * Creates the launch's Pod from its profile's template, owned by its Service, with the agent's credential. The
 * credential is made here, so that it is never in the execution's data. Safe to repeat: each attempt makes a credential
 * of its own, and whichever attempt's Pod it is that came to be, its credential's id is read from the Pod.
 *
 * @throws PendingError QuotaExceeded; TransientError; TerminalError as `createOnce`, ProfileUnknown, LaunchExpired, and
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
    const nowEpochMs = deps.nowEpochMs();
    if (nowEpochMs > mayBeginUntilEpochMs(input)) {
      const lateSeconds = Math.round((nowEpochMs - input.startedAtEpochMs) / 1000);
      const says = `CreatePod began ${lateSeconds} s after the launch: its agent could not connect before its credential expires`;
      throw new TerminalError('LaunchExpired', says, about);
    }
    const credentialId = deps.newCredentialId();
    const manifest = agentPod(input, profile, {
      env: { ...record.env, ...(await connectEnv(deps, input, credentialId)) },
      labels: record.labels ?? {},
      credentialId,
      serviceUid: input.expose === 'nodePort' ? input.service.uid : undefined,
    });
    const { pods } = await deps.openCluster(clusterName);
    const { object, isNew } = await createOnce(pods, deps.launches, launchId, manifest, about);
    const { uid, resourceVersion, annotations } = object.metadata;
    return {
      uid,
      resourceVersion: isNew ? resourceVersion : asItIs,
      credentialId: annotations?.[annotationKeys.credentialId],
      createdAtEpochMs: deps.nowEpochMs(),
    };
  });
}

/**
 * Until when a Pod leaves its agent the time that it may take to connect. Later than that is a launch that was accepted,
 * and which nobody could start for hours.
 */
function mayBeginUntilEpochMs(plan: LaunchPlan): number {
  const { placementSeconds, publishSeconds, connectSeconds } = plan.deadlines;
  return agentExpiresAtEpochMs(plan) - (placementSeconds + publishSeconds + connectSeconds) * 1000;
}

/**
 * A Pod that was adopted may have its address already: a watch from here tells first how it is.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch
 */
const asItIs = '0';

async function connectEnv(
  deps: CreatePodDeps,
  plan: LaunchPlan,
  credentialId: string,
): Promise<Record<string, string>> {
  const { agentName, launchId } = plan;
  const expiresAtEpochSeconds = Math.floor(agentExpiresAtEpochMs(plan) / 1000);
  return {
    DAVIT_CONNECT_URL: `${deps.publicUrl}/agents/${agentName}/connect`,
    DAVIT_AGENT_NAME: agentName,
    DAVIT_CREDENTIAL: await deps.credentials.issue({ agentName, launchId, credentialId }, expiresAtEpochSeconds),
  };
}
