/**
 * How a caller treats an error: repeat until the deadline, repeat a bounded number of times, launch again because
 * infrastructure took the Pod, or give up.
 */
export type ErrorFamily = 'pending' | 'transient' | 'relaunch' | 'terminal';

/** What a code means: its family, one sentence on what happened, and what the person who reads it can do. */
export interface ErrorCodeEntry {
  family: ErrorFamily;
  means: string;
  advice: string;
}

/**
 * Every error code that davit can give, the one place where they are named. A code is stable: people alarm on it.
 *
 * @see docs/errors.md, which is written from this table.
 */
export const errorCodes = {
  NodePortPending: {
    family: 'pending',
    means: 'The Service has no nodePort yet.',
    advice: 'Nothing: the step looks again until its deadline.',
  },
  PlacementPending: {
    family: 'pending',
    means: 'The Pod has no address yet: it is not scheduled, or its node has not reported one.',
    advice: 'Nothing: the step looks again until its deadline.',
  },
  ConnectPending: {
    family: 'pending',
    means: 'The agent has not connected yet.',
    advice: 'Nothing: the step looks again until its deadline.',
  },
  RemovalPending: {
    family: 'pending',
    means: 'The Service or the Pod is deleted but not gone yet: an agent has its termination grace period.',
    advice: 'Nothing: the step looks again. If it stays, see whether a finalizer holds the object.',
  },
  AgentExited: {
    family: 'pending',
    means: 'The agent has connected, and its Pod has ended or is gone; nobody has said that its job is completed.',
    advice: 'Nothing: the sweep ends the launch after the profile’s removeExitedAfterSeconds.',
  },
  QuotaExceeded: {
    family: 'pending',
    means: 'A ResourceQuota of the namespace is full.',
    advice: 'Raise the quota that the message names, or wait until other agents end: deadlines.quotaSeconds at most.',
  },
  NodePortRangeFull: {
    family: 'pending',
    means: 'Every port of the cluster’s node-port range is allocated.',
    advice: 'Widen --service-node-port-range, remove unused NodePort Services, or use expose: none.',
  },
  ClusterUnreachable: {
    family: 'transient',
    means: 'The cluster’s API server could not be reached, or did not answer in time.',
    advice: 'Check the endpoint that the message names, its firewall and its certificate.',
  },
  ClusterThrottled: {
    family: 'transient',
    means: 'The API server asked to slow down (429, or 5xx with Retry-After).',
    advice: 'Look at API Priority and Fairness, and at what else loads the API server.',
  },
  ClusterFault: {
    family: 'transient',
    means: 'The API server failed on its side (5xx), or has just started and is not ready yet.',
    advice: 'Read the server’s words; if it lasts, look at the API server’s own log and at etcd.',
  },
  AdmissionUnavailable: {
    family: 'transient',
    means: 'An admission webhook that the API server has to ask did not answer.',
    advice: 'Look at the Pods and the Service of the webhook that the message names, or at its failurePolicy.',
  },
  WriteConflict: {
    family: 'transient',
    means: 'The object changed, or came and went, while it was being written.',
    advice: 'Nothing: the write is repeated.',
  },
  StoreUnavailable: {
    family: 'transient',
    means: 'A table, a secret, Step Functions or EKS did not answer, or throttled.',
    advice: 'If it lasts, look at the throttling metrics of the service that the message names.',
  },
  PodPreempted: {
    family: 'relaunch',
    means: 'The scheduler took the Pod’s place for one of higher priority.',
    advice: 'Give agents a priorityClassName, or more capacity; raise maxRelaunches if it happens in turn.',
  },
  PodEvicted: {
    family: 'relaunch',
    means: 'The Pod was evicted: by the eviction API (a drain, an autoscaler) or by a kubelet short of a resource.',
    advice: 'Read who evicted it; give the agent requests that its node can keep, or drain outside working hours.',
  },
  NodeLost: {
    family: 'relaunch',
    means: 'The Pod’s node went away: shut down, reclaimed, deleted, tainted, or not heard of.',
    advice: 'Look at the node; spot capacity is taken back at any time.',
  },
  ServiceDeadlineExceeded: {
    family: 'terminal',
    means: 'The Service could not be created within its deadline.',
    advice: 'Read the cluster’s last words in the message; raise deadlines.serviceSeconds only if they are benign.',
  },
  NodePortDeadlineExceeded: {
    family: 'terminal',
    means: 'No nodePort was allocated within its deadline.',
    advice: 'Look at the API server: a nodePort is normally allocated when the Service is created.',
  },
  PodDeadlineExceeded: {
    family: 'terminal',
    means: 'The Pod could not be created within its deadline.',
    advice: 'Read the cluster’s last words in the message; raise deadlines.podSeconds only if they are benign.',
  },
  PlacementDeadlineExceeded: {
    family: 'terminal',
    means: 'The Pod got no address within its deadline.',
    advice:
      'The message has the scheduler’s words: add capacity, or raise deadlines.placementSeconds for a slow autoscaler. ' +
      'If a node reports no hostIP, as virtual nodes (label type=virtual-kubelet) may: use expose: none there.',
  },
  QuotaDeadlineExceeded: {
    family: 'terminal',
    means: 'A ResourceQuota of the namespace stayed full for all of deadlines.quotaSeconds.',
    advice: 'Raise the quota that the message names with what is used of it, or let fewer agents run at once.',
  },
  NodePortRangeDeadlineExceeded: {
    family: 'terminal',
    means: 'No node port became free for all of deadlines.nodePortRangeSeconds.',
    advice: 'Widen --service-node-port-range, remove unused NodePort Services, or use expose: none.',
  },
  PublishDeadlineExceeded: {
    family: 'terminal',
    means: 'The token could not be written within its deadline.',
    advice: 'Look at the tokens table’s throttling metrics.',
  },
  ConnectDeadlineExceeded: {
    family: 'terminal',
    means: 'The Pod has an address and the token is published, but the agent never connected.',
    advice: 'Read the agent’s log; check that its Pod can reach DAVIT_CONNECT_URL.',
  },
  NameCollision: {
    family: 'terminal',
    means: 'An object with the agent’s name exists and is not this launch’s.',
    advice: 'See whose it is by the labels in the message, and remove or rename it.',
  },
  DeletedExternally: {
    family: 'terminal',
    means: 'The Service or the Pod was deleted or replaced by somebody else while the launch needed it.',
    advice: 'Find who deletes objects with davit’s labels: a person, a clean-up job, a namespace that ended.',
  },
  ObjectInvalid: {
    family: 'terminal',
    means: 'The API server refused the object as invalid (400 or 422).',
    advice: 'Mend the profile’s template at the field that the message names.',
  },
  NodePortTaken: {
    family: 'terminal',
    means: 'The API server says that the node port is allocated already, although davit asks for none of its own.',
    advice: 'Find the admission webhook or policy that sets a nodePort on Services, and make it leave davit’s alone.',
  },
  ResourcesUnspecified: {
    family: 'terminal',
    means: 'A ResourceQuota of the namespace wants every container to say its requests or limits.',
    advice: 'Set the resources that the message names in the profile’s template, or add a LimitRange with defaults.',
  },
  AdmissionDenied: {
    family: 'terminal',
    means: 'An admission webhook, a policy or a LimitRange refused the object.',
    advice: 'Mend the profile’s template to satisfy what the message names.',
  },
  ClusterUnauthorized: {
    family: 'terminal',
    means: 'The API server does not accept davit’s credentials (401), even after they were read again.',
    advice:
      'Renew the token in the cluster’s kubeconfig secret. For an EKS cluster: give the role of the function an access ' +
      'entry; the message has the name of the cluster.',
  },
  ClusterForbidden: {
    family: 'terminal',
    means: 'The identity that davit has lacks a permission in the namespace (403).',
    advice: 'Grant the verb and resource that the message names.',
  },
  NamespaceMissing: {
    family: 'terminal',
    means: 'The profile’s namespace does not exist in the cluster, or is being deleted.',
    advice: 'Create the namespace, or correct the profile.',
  },
  SecretMissing: {
    family: 'terminal',
    means: 'A secret that davit.yaml or the stack names does not exist, or has no text.',
    advice: 'Create the secret that the message names, in the account and region of the functions.',
  },
  EksClusterMissing: {
    family: 'terminal',
    means: 'EKS has no cluster of the name that davit.yaml gives, in the account and region, or it has no API server.',
    advice: 'Correct clusters[].eks in davit.yaml; give `server` there for a cluster in another account.',
  },
  EksAccessDenied: {
    family: 'terminal',
    means: 'The function’s role may not ask EKS where the cluster’s API server is.',
    advice: 'Grant the action that the message names to the role that it names, or give `server` in davit.yaml.',
  },
  KubeconfigInvalid: {
    family: 'terminal',
    means: 'The cluster’s secret is not a kubeconfig, or its user cannot get a credential.',
    advice:
      'Put a kubeconfig with a current context into the cluster’s secret; a token or a certificate in it, ' +
      'rather than a plugin, whose program is not in a Lambda.',
  },
  HostAddressMissing: {
    family: 'terminal',
    means: 'The Pod’s node has no address of the kind that the profile’s hostAddress asks for.',
    advice: 'Choose a hostAddress that the node has: the message lists them; or give such nodes the address.',
  },
  ImageNameInvalid: {
    family: 'terminal',
    means: 'An image name of the template cannot be parsed.',
    advice: 'Correct the image in the profile’s template.',
  },
  ImagePullFailed: {
    family: 'terminal',
    means: 'An image could not be pulled within the grace period.',
    advice: 'The message has the registry’s words: check the name, the tag, and imagePullSecrets.',
  },
  ImageNotUsable: {
    family: 'terminal',
    means: 'An image is not on the node and must not be pulled, or cannot be inspected, and stayed so for its grace.',
    advice: 'Change imagePullPolicy: Never in the profile’s template, or put the image on the nodes.',
  },
  ContainerConfigInvalid: {
    family: 'terminal',
    means: 'A container’s configuration stayed wrong for its grace: mostly a Secret or ConfigMap that is not there.',
    advice: 'Create what the message names, with its key, in the profile’s namespace; or mend the template.',
  },
  ContainerStartFailed: {
    family: 'terminal',
    means: 'The container runtime, the CNI or a hook could not make or start the Pod’s containers within the grace.',
    advice: 'Read the runtime’s words: a wrong command or mount is the template’s, an address or plugin the node’s.',
  },
  OutOfMemory: {
    family: 'terminal',
    means: 'A container of the agent was killed because it used more memory than its limit (OOMKilled).',
    advice: 'Raise resources.limits.memory in the profile’s template; the message has the present limit.',
  },
  InitContainerFailed: {
    family: 'terminal',
    means: 'An init container of the agent’s Pod failed.',
    advice: 'Read the container’s log in the launch’s diagnostics; the message has its exit code.',
  },
  ContainerTerminated: {
    family: 'terminal',
    means: 'A container of the agent ended or keeps crashing before the agent connected.',
    advice: 'Read the container’s log in the launch’s diagnostics; the message has its exit code.',
  },
  PodLifetimeExceeded: {
    family: 'terminal',
    means: 'The Pod’s activeDeadlineSeconds passed before the agent connected.',
    advice: 'Raise activeDeadlineSeconds in the profile’s template, or leave it to davit’s deadlines.',
  },
  PodFailed: {
    family: 'terminal',
    means: 'The Pod’s phase is Failed.',
    advice: 'The message has the reason that the cluster gave and the exit codes.',
  },
  PodSucceeded: {
    family: 'terminal',
    means: 'The agent ended by itself, successfully, without having connected.',
    advice: 'Make the agent call DAVIT_CONNECT_URL and stay; read its log.',
  },
  TokenConflict: {
    family: 'terminal',
    means: 'A token is published already under this agent’s name, and says something else.',
    advice: 'The cluster lost what was built before: start the job again for a new launch.',
  },
  LaunchOver: {
    family: 'terminal',
    means: 'The launch was ended (its job completed, or it was terminated) while a step was at work.',
    advice: 'Nothing: what the step made is removed.',
  },
  ProfileUnknown: {
    family: 'terminal',
    means: 'The launch names a profile or cluster that this deployment’s davit.yaml does not have.',
    advice: 'It was removed while the launch was in flight: put it back until its launches are over.',
  },
  InputInvalid: {
    family: 'terminal',
    means: 'A step was given data that it does not understand.',
    advice: 'If somebody started the execution by hand, start it by POST /launches instead.',
  },
  Terminated: {
    family: 'terminal',
    means: 'The launch was ended on request: its job completed, or somebody deleted it.',
    advice: 'Nothing.',
  },
  ExecutionEnded: {
    family: 'terminal',
    means: 'Step Functions ended the execution itself: stopped by hand, timed out, or out of history.',
    advice: 'If nobody stopped it, look at the execution’s history for the state that it was in.',
  },
  AgentLifetimeExceeded: {
    family: 'terminal',
    means: 'The agent had been connected for as long as the profile’s maxAgentLifetimeSeconds lets one be.',
    advice: 'If its job was over, see why no `completed` webhook came; if it was not, raise maxAgentLifetimeSeconds.',
  },
  LaunchExpired: {
    family: 'terminal',
    means:
      'The launch was still under way when its agent’s credential had expired, or began so late that it would have before the agent could connect.',
    advice:
      'Look at the execution’s history for the state that it is in; it should have ended by its own deadlines. One that began late was accepted when davit could start nothing: look at the webhook’s and the sweep’s logs of that time.',
  },
  Unexpected: {
    family: 'terminal',
    means: 'A step failed in a way that davit does not know: a defect, or a Lambda that could not run.',
    advice: 'Look at the function’s log at the time of the failure, and report it.',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

/** A stable error code. */
export type ErrorCode = keyof typeof errorCodes;

type CodeOf<Family extends ErrorFamily> = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]['family'] extends Family ? Code : never;
}[ErrorCode];

/** Codes of errors that are repeated until the step's deadline. */
export type PendingCode = CodeOf<'pending'>;
/** Codes of errors that are repeated a bounded number of times. */
export type TransientCode = CodeOf<'transient'>;
/** Codes of errors after which the launch is tried again under a new agent name. */
export type RelaunchCode = CodeOf<'relaunch'>;
/** Codes of errors that end a launch. */
export type TerminalCode = CodeOf<'terminal'>;

/** Says whether a text is one of davit's error codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}
