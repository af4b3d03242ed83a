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

/**
 * The explanation where a person sees the launch itself. The table of error codes explains them to every reader, such as
 * of an alarm; here the log and the cluster are at hand, and the commands of davit.
 */
const atTheLaunch: Partial<Record<ErrorCode, Explanation>> = {
  CiRefused: {
    advice:
      "Read the CI system's words in the message: a missing permission, or a scope that does not exist. `davit doctor` says what davit needs there.",
  },
  ClusterAway: {
    advice: '`davit clusters` says why. davit removes what the launch has left there when the cluster is back.',
  },
  ClusterForbidden: {
    advice:
      'Grant the verb and resource that the message names. `davit rbac | kubectl apply --server-side -f -` grants all that davit needs.',
  },
  ClusterUnreachable: {
    advice:
      'Check the endpoint in the message, its firewall and its certificate. davit tries again at least once a minute, until it gives up. `davit clusters` says since when.',
  },
  ConnectDeadlineExceeded: {
    means: 'The Pod has an address, but the agent never connected.',
    advice:
      "Read the agent's log. Check that its Pod can reach the URL in DAVIT_CONNECT_URL: its NetworkPolicies, DNS, a proxy.",
  },
  ContainerTerminated: {
    advice: 'Read the end of its log, and its exit code. Then correct the image, or the command in the template.',
  },
  InitContainerFailed: {
    advice: 'Read the end of its log, and its exit code. Then correct that container in the template.',
  },
  InputInvalid: {
    means: 'A step of davit got data that it does not understand.',
    advice: 'Run the job again, or launch with `davit launch`. If it happens again, report it with the message.',
  },
  LaunchExpired: {
    means: 'The launch took longer than all of its deadlines, or began too late for its agent to connect.',
    advice:
      "Run the job again. On AWS the history of the launch's execution says where it stood, elsewhere davit's log; report it, because a deadline should have ended it.",
  },
  NamespaceMissing: {
    advice:
      'Create the namespace, or correct the profile. `davit rbac | kubectl apply --server-side -f -` makes it with what it needs.',
  },
  NodeLost: {
    advice:
      'Check the node: `kubectl get events --field-selector involvedObject.kind=Node`. A cloud provider can reclaim spot capacity at any time; if that happens often, raise maxRelaunches.',
  },
  PodFailed: {
    advice:
      'Read the reason in the message. With OutOfcpu, OutOfmemory and the like, the node had no room: run the job again. Otherwise read the end of the log.',
  },
  PublishDeadlineExceeded: {
    means: "davit could not write the agent's address into its table within its deadline.",
    advice: "Read the message. On AWS, look at the tokens table's throttling metrics; elsewhere, at davit's disk.",
  },
  SecretMissing: {
    advice:
      "Create the secret that the message names: on AWS in the account and region of the functions, with Helm in the chart's `secrets`, on a laptop with `--secret`.",
  },
  TokenConflict: {
    means: "Another address is already published under this agent's name.",
  },
  Unexpected: {
    means: 'A step failed with an error that davit does not know: a defect, or a function that could not run.',
    advice: "Read davit's log at the time of the failure (on AWS, that of the function), and report it.",
  },
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
  return { means, advice, ...atTheLaunch[code] };
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
  return isErrorCode(code) ? { ...told, ...atTheLaunch[code], ...afterwards[code] } : told;
}

/** What to do about webhooks that davit refuses. */
export const refusedAdvice =
  "Compare the CI system's webhook secret with the one that davit.yaml names, and its content type with application/json. Its page of webhook deliveries has davit's answers.";
