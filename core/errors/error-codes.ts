/**
 * How a caller treats an error: repeat until the deadline, repeat a bounded number of times, launch again because
 * infrastructure took the Pod, or give up.
 */
export type ErrorFamily = 'pending' | 'transient' | 'relaunch' | 'terminal';

/** The meaning of a code: its family, one sentence on what happened, and what the reader can do. */
export interface ErrorCodeEntry {
  family: ErrorFamily;
  means: string;
  advice: string;
}

/** Every code by its family, named only here. A code is stable: people alarm on it. */
const familyCodes = {
  pending: {
    NodePortPending: {
      means: 'The Service has no nodePort yet.',
      advice: 'Nothing: the step looks again until its deadline.',
    },
    PlacementPending: {
      means: 'The Pod has no address yet: it is not scheduled, or its node has not reported one.',
      advice: 'Nothing: the step looks again until its deadline.',
    },
    ConnectPending: {
      means: 'The agent has not connected yet.',
      advice: 'Nothing: the step looks again until its deadline.',
    },
    RemovalPending: {
      means: 'The Service or the Pod is deleted but not gone yet: an agent has its termination grace period.',
      advice: 'Nothing: the step looks again. If it stays, see whether a finalizer holds the object.',
    },
    AgentExited: {
      means:
        'The agent connected, and then its Pod ended or disappeared. No CI system has reported that its job is completed.',
      advice: "Nothing: the sweep ends the launch after the profile's removeExitedAfterSeconds.",
    },
    RunnerBusy: {
      means: 'The launch is over, and the CI system says that its runner still runs a job.',
      advice: 'Nothing: davit asks again. The CI system notices by itself, after a while, that the agent is gone.',
    },
    QuotaExceeded: {
      means: 'A ResourceQuota of the namespace is full.',
      advice: 'Raise the quota that the message names, or wait until other agents end: deadlines.quotaSeconds at most.',
    },
    NodePortRangeFull: {
      means: "Every port of the cluster's node-port range is allocated.",
      advice: 'Widen --service-node-port-range, remove unused NodePort Services, or use expose: none.',
    },
  },
  transient: {
    ClusterUnreachable: {
      means: "The cluster's API server could not be reached, or did not answer in time.",
      advice:
        'Check the endpoint in the message, its firewall and its certificate. davit tries again at least once a minute, until it gives up. `davit clusters` says since when.',
    },
    ClusterThrottled: {
      means: 'The API server asked to slow down (429, or 5xx with Retry-After).',
      advice: 'Check API Priority and Fairness, and find what else loads the API server.',
    },
    ClusterFault: {
      means: 'The API server failed on its side (5xx), or has just started and is not ready yet.',
      advice: "Read the server's message. If it lasts, check the API server's log and etcd.",
    },
    AdmissionUnavailable: {
      means: 'An admission webhook that the API server must call did not answer.',
      advice: 'Look at the Pods and the Service of the webhook that the message names, or at its failurePolicy.',
    },
    WriteConflict: {
      means: 'The object changed, or appeared and disappeared, while davit wrote it.',
      advice: 'Nothing: davit repeats the write.',
    },
    CiUnavailable: {
      means:
        'The CI system could not be reached, throttled davit, or failed on its side; or it takes no more requests in this minute, and davit asks it in the next one.',
      advice:
        'Check the URL that the message names, and the status page and rate limit of the CI system. Nothing, if the message says when the turn comes.',
    },
    StoreUnavailable: {
      means: 'A table, a secret, Step Functions or EKS did not answer, or throttled.',
      advice: 'If it lasts, look at the throttling metrics of the service that the message names.',
    },
  },
  relaunch: {
    PodPreempted: {
      means: "The scheduler took the Pod's place for one of higher priority.",
      advice: 'Give agents a priorityClassName, or more capacity; raise maxRelaunches if this happens often.',
    },
    PodEvicted: {
      means: 'The Pod was evicted: by the eviction API (a drain, an autoscaler) or by a kubelet short of a resource.',
      advice:
        'Read in the message what evicted it. Give the agent resource requests that its node can meet, or drain nodes outside working hours.',
    },
    NodeLost: {
      means: "The Pod's node went away: it was shut down, reclaimed, deleted or tainted, or it stopped reporting.",
      advice:
        'Check the node: `kubectl get events --field-selector involvedObject.kind=Node`. A cloud provider can reclaim spot capacity at any time; if that happens often, raise maxRelaunches.',
    },
    ClusterAway: {
      means: "The launch's cluster was away for longer than the profile's failoverSeconds.",
      advice:
        'Run `davit clusters`: it says why. davit removes what the launch has left there when the cluster is back.',
    },
    ClusterFull: {
      means:
        "The launch's cluster had no room for it for longer than the profile's spillSeconds: a quota or the node-port range was full, or its Pod fitted on no node.",
      advice: "Read the cluster's words in the message. Give the cluster more capacity if this happens often.",
    },
    ClusterRefused: {
      means:
        "The launch's cluster refused it: a missing permission or namespace, an admission policy, an access that is not valid.",
      advice:
        'The message has the code and the words of the refusal: mend that cluster, or take it out of the profile.',
    },
    DeletedExternally: {
      means:
        'Another user or program deleted or replaced the Service or the Pod before the agent had connected. The job has not begun, so davit launches again, at most maxRelaunches times.',
      advice:
        "To end a launch, use `davit end`. If nobody meant to: find who deletes objects with davit's labels: a person, a clean-up job, a namespace that ended.",
    },
  },
  terminal: {
    ServiceDeadlineExceeded: {
      means: 'The Service could not be created within its deadline.',
      advice:
        "Read the cluster's last error in the message. Raise deadlines.serviceSeconds only if that error passes by itself.",
    },
    NodePortDeadlineExceeded: {
      means: 'No nodePort was allocated within its deadline.',
      advice: 'Look at the API server: a nodePort is normally allocated when the Service is created.',
    },
    PodDeadlineExceeded: {
      means: 'The Pod could not be created within its deadline.',
      advice:
        "Read the cluster's last error in the message. Raise deadlines.podSeconds only if that error passes by itself.",
    },
    PlacementDeadlineExceeded: {
      means: 'The Pod got no address within its deadline.',
      advice:
        "Read the scheduler's message: add capacity, or raise deadlines.placementSeconds for a slow autoscaler. " +
        'Virtual nodes (label type=virtual-kubelet) may report no hostIP: use expose: none there.',
    },
    QuotaDeadlineExceeded: {
      means: 'A ResourceQuota of the namespace stayed full for all of deadlines.quotaSeconds.',
      advice: "Raise the quota that the message names, or run fewer agents at once. The message has the quota's usage.",
    },
    NodePortRangeDeadlineExceeded: {
      means: 'No node port became free for all of deadlines.nodePortRangeSeconds.',
      advice: 'Widen --service-node-port-range, remove unused NodePort Services, or use expose: none.',
    },
    PublishDeadlineExceeded: {
      means: "The agent's address could not be written into davit's table within its deadline.",
      advice: "Read the message. On AWS, look at the tokens table's throttling metrics; elsewhere, at davit's disk.",
    },
    ConnectDeadlineExceeded: {
      means: 'The Pod has an address, but the agent never connected.',
      advice:
        "Read the agent's log. Check that its Pod can reach the URL in DAVIT_CONNECT_URL: its NetworkPolicies, DNS, a proxy.",
    },
    NameCollision: {
      means: "An object with the agent's name exists and is not this launch's.",
      advice: 'Find its owner by the labels in the message, and remove or rename it.',
    },
    ObjectInvalid: {
      means: 'The API server refused the object as invalid (400 or 422).',
      advice: "Correct the field that the message names in the profile's template.",
    },
    NodePortTaken: {
      means: 'The API server says that the node port is allocated already, although davit asks for none of its own.',
      advice: "Find the admission webhook or policy that sets a nodePort on Services, and make it leave davit's alone.",
    },
    ResourcesUnspecified: {
      means: 'A ResourceQuota of the namespace requires every container to specify requests or limits.',
      advice: "Set the resources that the message names in the profile's template, or add a LimitRange with defaults.",
    },
    AdmissionDenied: {
      means: 'An admission webhook, a policy or a LimitRange refused the object.',
      advice: "Change the profile's template to satisfy the rule that the message names.",
    },
    ClusterUnauthorized: {
      means: "The API server does not accept davit's credentials (401), even after davit read them again.",
      advice:
        "Renew the token in the cluster's kubeconfig secret. For an EKS cluster: give the role of the function an access " +
        'entry; the message has the name of the cluster.',
    },
    ClusterForbidden: {
      means: 'The identity of davit lacks a permission in the namespace (403).',
      advice:
        'Grant the verb and resource that the message names. `davit rbac | kubectl apply --server-side -f -` grants all that davit needs.',
    },
    NamespaceMissing: {
      means: "The profile's namespace does not exist in the cluster, or is being deleted.",
      advice:
        'Create the namespace, or correct the profile. `davit rbac | kubectl apply --server-side -f -` makes it with what it needs.',
    },
    CiRefused: {
      means: "The CI system refused davit's request.",
      advice:
        "Read the CI system's words in the message: a missing permission, or a scope that does not exist. `davit doctor` says what davit needs there.",
    },
    SecretMissing: {
      means: 'A secret that davit.yaml or the stack names does not exist, or has no text.',
      advice:
        "Create the secret that the message names: on AWS in the account and region of the functions, with Helm in the chart's `secrets`, on a laptop with `--secret`.",
    },
    EksClusterMissing: {
      means:
        'EKS has no cluster with the name in davit.yaml in this account and region, or the cluster has no API server.',
      advice: 'Correct clusters[].eks in davit.yaml. For a cluster in another account, set `server` there.',
    },
    EksAccessDenied: {
      means: "The function's role may not read the API server's address from EKS.",
      advice: 'Grant the action in the message to the role in the message, or set `server` in davit.yaml.',
    },
    KubeconfigInvalid: {
      means: "The cluster's secret is not a kubeconfig, or its user cannot get a credential.",
      advice:
        "Put a kubeconfig with a current context into the cluster's secret; a token or a certificate in it, " +
        "not a plugin, because Lambda does not have the plugin's program.",
    },
    HostAddressMissing: {
      means: "The Pod's node has no address of the kind that the profile's hostAddress asks for.",
      advice: 'Choose a hostAddress that the node has: the message lists them; or give such nodes the address.',
    },
    ImageNameInvalid: {
      means: 'An image name of the template cannot be parsed.',
      advice: "Correct the image in the profile's template.",
    },
    ImagePullFailed: {
      means: 'An image could not be pulled within the grace period.',
      advice: "Read the registry's message, and check the name, the tag, and imagePullSecrets.",
    },
    ImageNotUsable: {
      means:
        'For the whole grace period, an image was not on the node and must not be pulled, or could not be inspected.',
      advice: "Change imagePullPolicy: Never in the profile's template, or put the image on the nodes.",
    },
    ContainerConfigInvalid: {
      means:
        "A container's configuration stayed wrong for the grace period. The usual cause is a missing Secret or ConfigMap.",
      advice: "Create what the message names, with its key, in the profile's namespace; or correct the template.",
    },
    ContainerStartFailed: {
      means: "The container runtime, the CNI or a hook could not make or start the Pod's containers within the grace.",
      advice:
        "Read the runtime's message. A wrong command or mount is a fault of the template; an address or a plugin, of the node.",
    },
    OutOfMemory: {
      means: 'A container of the agent was killed because it used more memory than its limit (OOMKilled).',
      advice: "Raise resources.limits.memory in the profile's template; the message has the present limit.",
    },
    InitContainerFailed: {
      means: "An init container of the agent's Pod failed.",
      advice: 'Read the end of its log, and its exit code. Then correct that container in the template.',
    },
    ContainerTerminated: {
      means: 'A container of the agent ended or keeps crashing before the agent connected.',
      advice: 'Read the end of its log, and its exit code. Then correct the image, or the command in the template.',
    },
    PodLifetimeExceeded: {
      means: "The Pod's activeDeadlineSeconds passed before the agent connected.",
      advice: "Raise activeDeadlineSeconds in the profile's template, or leave it to davit's deadlines.",
    },
    PodFailed: {
      means: "The Pod's phase is Failed.",
      advice:
        'Read the reason in the message. With OutOfcpu, OutOfmemory and the like, the node had no room: run the job again. Otherwise read the end of the log.',
    },
    PodSucceeded: {
      means: 'The agent exited successfully before it connected.',
      advice: 'Make the agent call DAVIT_CONNECT_URL and keep running. Read its log.',
    },
    TokenConflict: {
      means: "Another address is already published under this agent's name.",
      advice: 'The cluster lost the earlier objects. Start the job again for a new launch.',
    },
    LaunchOver: {
      means: 'The launch was ended (its job completed, or it was terminated) while a step was running.',
      advice: 'Nothing: davit removes what the step created.',
    },
    ProfileUnknown: {
      means: "The launch names a profile or cluster that this deployment's davit.yaml does not have.",
      advice: 'Somebody removed it while the launch was in flight. Put it back until its launches are over.',
    },
    InputInvalid: {
      means: 'A step of davit got data that it does not understand.',
      advice: 'Run the job again, or launch with `davit launch`. If it happens again, report it with the message.',
    },
    Terminated: {
      means: 'The launch was ended on request: its job completed, or a caller deleted it.',
      advice: 'Nothing.',
    },
    ExecutionEnded: {
      means: 'Step Functions ended the execution itself: stopped by hand, timed out, or out of history.',
      advice:
        "If no person stopped it, find its last state in the execution's history. If the message says that an execution of this name ended before, use a new job id.",
    },
    ObserverFailed: {
      means: "The launch's execution failed or was stopped after its agent had connected. The agent goes on.",
      advice:
        'Nothing for the agent: its job, a person, its lifetime or its own exit ends it. The rest of the message says why ' +
        'the execution failed.',
    },
    AgentLifetimeExceeded: {
      means: "The agent was connected for longer than the profile's maxAgentLifetimeSeconds.",
      advice:
        'If its job was over, find out why no `completed` webhook came. If it was not, raise maxAgentLifetimeSeconds.',
    },
    LaunchExpired: {
      means: 'The launch took longer than all of its deadlines, or began too late for its agent to connect.',
      advice:
        "Run the job again. On AWS the history of the launch's execution says where it stood, elsewhere davit's log; report it, because a deadline should have ended it.",
    },
    Unexpected: {
      means: 'A step failed with an error that davit does not know: a defect, or a function that could not run.',
      advice: "Read davit's log at the time of the failure (on AWS, that of the function), and report it.",
    },
  },
} as const satisfies Record<ErrorFamily, Record<string, Omit<ErrorCodeEntry, 'family'>>>;

/** Codes of errors after which Step Functions repeats the step until its deadline. */
export type PendingCode = keyof typeof familyCodes.pending;
/** Codes of errors after which the step or the caller retries a limited number of times. */
export type TransientCode = keyof typeof familyCodes.transient;
/** Codes of errors after which davit launches again under a new agent name, on the same cluster or another one. */
export type RelaunchCode = keyof typeof familyCodes.relaunch;
/** Codes of errors that end a launch. */
export type TerminalCode = keyof typeof familyCodes.terminal;
/** A stable error code. */
export type ErrorCode = PendingCode | TransientCode | RelaunchCode | TerminalCode;

/**
 * Every error code that davit can give.
 *
 * @see docs/errors.md, which `npm run docs` writes from this table.
 */
export const errorCodes = Object.fromEntries(
  Object.entries(familyCodes).flatMap(([family, codes]) =>
    Object.entries(codes).map(([code, entry]) => [code, { family, ...entry }]),
  ),
) as Readonly<Record<ErrorCode, ErrorCodeEntry>>;

const moveCodes: readonly ErrorCode[] = ['ClusterAway', 'ClusterFull', 'ClusterRefused'] satisfies RelaunchCode[];

/** Says whether a launch that fails with this code moves to another cluster, outside of its relaunches. */
export function isMoveCode(code: ErrorCode): boolean {
  return moveCodes.includes(code);
}

/** Says whether a text is one of davit's error codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}
