import { type ErrorCode, errorCodes, isErrorCode } from '../../core/errors/error-codes.ts';

/** What something means, and what a person can do about it. */
export interface Explanation {
  means?: string;
  advice?: string;
}

/** Kubernetes' own words for a Pod that cannot start, which are no codes of davit's. */
const kubernetesWords: Readonly<Record<string, Required<Explanation>>> = {
  SchedulingGated: {
    means: 'A queue holds the Pod back: it has a scheduling gate.',
    advice:
      'Look at the queue that the message names. For Kueue: `kubectl get workloads` in the namespace says what it waits for.',
  },
  FailedMount: {
    means: 'A volume of the Pod cannot be mounted.',
    advice:
      "Create the Secret, ConfigMap or claim that the message names, in the profile's namespace; or correct the volumes in the profile's template.",
  },
  FailedAttachVolume: {
    means: "A volume of the Pod cannot be attached to the Pod's node.",
    advice: 'Look whether another node still has the volume, and at the log of its CSI driver.',
  },
  NetworkNotReady: {
    means: "The network of the Pod's node is not ready.",
    advice: 'Look at the Pods of the network plugin (CNI) on that node.',
  },
};

/** The explanation of a Pod that has a node and no address. */
export const noAddress: Required<Explanation> = {
  means: 'The Pod has a node, and the node reports no address for it.',
  advice:
    'Look at the node: `kubectl describe node`. Its kubelet may have stopped. A virtual node (label type=virtual-kubelet) may never report a hostIP: use expose: none there.',
};

/** What differs while davit still waits for the end of a grace period. */
const meanwhile: Partial<Record<ErrorCode, string>> = {
  ImagePullFailed: 'An image cannot be pulled. davit waits, because a registry may come back.',
  ImageNotUsable: 'An image is not on the node and must not be pulled, or cannot be inspected.',
  ContainerConfigInvalid: "A container's configuration is wrong. The usual cause is a missing Secret or ConfigMap.",
  ContainerStartFailed: "The container runtime, the CNI or a hook cannot make or start the Pod's containers.",
};

/** What differs once the launch is over. */
const afterwards: Partial<Record<ErrorCode, Explanation>> = {
  AgentExited: {
    advice: 'Read the end of its log, and its exit code. Its job is lost or has failed: run it again in the CI system.',
  },
};

/** Says what an error code means and what to do; empty for a code of another version of davit. */
export function explanationOf(code: string): Explanation {
  if (Object.hasOwn(kubernetesWords, code)) return kubernetesWords[code] ?? {};
  if (!isErrorCode(code)) return {};
  const { means, advice } = errorCodes[code];
  return { means, advice };
}

/** Explains what holds a launch up. */
export function explanationOfWait(code: string): Explanation {
  const means = isErrorCode(code) ? meanwhile[code] : undefined;
  return { ...explanationOf(code), ...(means === undefined ? {} : { means }) };
}

/**
 * Explains why a launch is over. A deadline for the Pod's place has several causes, which the cluster's last words tell.
 *
 * @param told the explanation by the davit that answered, which may be of another version
 */
export function explanationOfEnding(code: string, message: string, told: Explanation): Explanation {
  if (code === 'PlacementDeadlineExceeded') {
    const word = Object.keys(kubernetesWords).find((known) => message.includes(`${known}: `));
    if (word !== undefined) return explanationOf(word);
    if (message.includes(' reports no ')) return noAddress;
  }
  return isErrorCode(code) ? { ...told, ...afterwards[code] } : told;
}

/** What to do about webhooks that davit refuses. */
export const refusedAdvice =
  "Compare the CI system's webhook secret with the one that davit.yaml names, and its content type with application/json. Its page of webhook deliveries has davit's answers.";
