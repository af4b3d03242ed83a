import { agentPod } from '../../core/agent/agent-objects.ts';
import type { Profile } from '../../core/config/config.ts';
import { type ErrorSubject, type RelaunchError, TerminalError } from '../../core/errors/errors.ts';
import { CreatedPod, LaunchState } from '../../core/launch/execution-state.ts';
import { isLive } from '../../core/launch/launch-record.ts';
import { agentExpiresAtEpochMs, LaunchPlan } from '../../core/launch/launch-state.ts';
import { annotationKeys } from '../../core/launch/names.ts';
import { judgeDisruption } from '../../core/pod/judge-disruption.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import * as z from '../../core/zod.ts';
import { relaunchErrorOf } from '../../logic/steps/apply-verdict.ts';
import { createOnce } from '../../logic/steps/create-once.ts';
import { createWithinDeadlines } from '../../logic/steps/create-within-deadlines.ts';
import type { StepDeps } from '../../logic/steps/on-cluster.ts';
import type { CredentialIssuer } from '../../ports/credentials.ts';

const Exposed = z.extend(LaunchPlan, {
  expose: z.literal('nodePort'),
  service: LaunchState.shape.service,
  nodePort: LaunchState.shape.nodePort,
});
const NotExposed = z.extend(LaunchPlan, { expose: z.literal('none') });

/** The plan and, for an exposed launch, the Service and its port: no Pod exists before they do. */
export const CreatePodInput = z.discriminatedUnion('expose', [Exposed, NotExposed]);
/** Becomes `$.pod`; `$.pod.made` has it whole. */
export const CreatePodOutput = z.extend(z.omit(LaunchState.shape.pod, { made: true }), CreatedPod.shape);

interface CreatePodDeps extends StepDeps {
  credentials: CredentialIssuer;
  newCredentialId: () => string;
  profiles: readonly Profile[];
  /** The API's base URL as Pods reach it, without a slash at the end. */
  publicUrl: string;
}

/**
 * Creates the launch's Pod from its profile's template, owned by its Service, with the agent's credential. The step makes
 * the credential itself, so that it is never in the execution's data. Safe to repeat: each attempt makes a credential of
 * its own. Reads the id of the credential in effect from the existing Pod, whichever attempt made it.
 *
 * @throws PendingError QuotaExceeded; TransientError; TerminalError as `createOnce`, ProfileUnknown, LaunchExpired, and
 *   PodDeadlineExceeded, QuotaDeadlineExceeded; RelaunchError when infrastructure took the Pod of an earlier attempt
 */
export async function createPod(
  deps: CreatePodDeps,
  input: z.infer<typeof CreatePodInput>,
): Promise<z.infer<typeof CreatePodOutput>> {
  const { launchId, agentName: pod, cluster: clusterName, namespace } = input;
  const subject = { launchId, cluster: clusterName, namespace, pod };
  const deadline = {
    step: 'CreatePod',
    sinceEpochMs: input.expose === 'nodePort' ? input.nodePort.readAtEpochMs : input.startedAtEpochMs,
    seconds: input.deadlines.podSeconds,
    code: 'PodDeadlineExceeded',
  } as const;

  return await createWithinDeadlines(deps, input, deadline, async () => {
    const profile = deps.profiles.find(({ name }) => name === input.profile);
    if (profile === undefined) throw new TerminalError('ProfileUnknown', `no profile ${input.profile}`, subject);
    const record = await deps.launches.get(launchId);
    if (record === undefined || !isLive(record)) {
      throw new TerminalError('LaunchOver', 'the launch was ended before its Pod was created', subject);
    }
    const nowEpochMs = deps.nowEpochMs();
    if (nowEpochMs > mayBeginUntilEpochMs(input)) {
      const lateSeconds = Math.round((nowEpochMs - input.startedAtEpochMs) / 1000);
      const detail = `CreatePod began ${lateSeconds} s after the launch: its agent could not connect before its credential expires`;
      throw new TerminalError('LaunchExpired', detail, subject);
    }
    const credentialId = deps.newCredentialId();
    const manifest = agentPod(input, profile, {
      env: { ...record.env, ...(await connectEnv(deps, input, credentialId)) },
      labels: record.labels ?? {},
      credentialId,
      serviceUid: input.expose === 'nodePort' ? input.service.uid : undefined,
    });
    const { pods } = await deps.openCluster(clusterName);
    const readDisruption = (found: PodView) => disruptionOf(found, subject);
    const { object, isNew } = await createOnce(pods, deps.launches, launchId, manifest, subject, readDisruption);
    const { uid, resourceVersion, annotations } = object.metadata;
    return {
      uid,
      resourceVersion,
      credentialId: annotations?.[annotationKeys.credentialId],
      isNew,
      createdAtEpochMs: deps.nowEpochMs(),
    };
  });
}

/**
 * The latest moment at which the agent of a new Pod still has time to connect. A launch misses it if it could not start
 * for hours.
 */
function mayBeginUntilEpochMs(plan: LaunchPlan): number {
  const { placementSeconds, publishSeconds, connectSeconds } = plan.deadlines;
  return agentExpiresAtEpochMs(plan) - (placementSeconds + publishSeconds + connectSeconds) * 1000;
}

function disruptionOf(pod: PodView, subject: ErrorSubject): RelaunchError | undefined {
  const verdict = judgeDisruption(pod);
  return verdict && relaunchErrorOf(verdict, subject);
}

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
