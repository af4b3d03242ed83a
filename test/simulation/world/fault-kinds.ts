/**
 * Every kind of fault that a run can inject, and what it is. A launch that has met nothing but `harmless` ones connects
 * all the same; each of the others may end it, but never badly.
 */
export const faultKinds = {
  crashBeforeWrite: { harmless: false, is: 'a function dies just before a write' },
  crashAfterWrite: { harmless: false, is: 'a function dies just after a write' },
  stalled: { harmless: false, is: 'a function stands still, past its time-out at times' },
  slowStart: { harmless: false, is: 'a function starts late, so that its state times out while it runs' },
  invokedTwice: { harmless: true, is: 'two copies of a function run at once' },
  invokeRefused: { harmless: false, is: 'Lambda throttles or fails instead of running the function' },
  invokeAnswerLost: { harmless: false, is: 'a function ran, and its answer is lost' },
  asyncTwice: { harmless: true, is: 'an asynchronous invocation is delivered twice' },
  asyncLate: { harmless: true, is: 'an asynchronous invocation is delivered minutes late' },
  endEventTwice: { harmless: true, is: 'EventBridge delivers the end of an execution twice' },
  endEventLate: { harmless: true, is: 'EventBridge delivers the end of an execution minutes late' },
  clockSkew: { harmless: false, is: 'a function’s clock is off by up to 2 s' },
  clusterThrottled: { harmless: false, is: '429, or 5xx with Retry-After' },
  clusterFault: { harmless: false, is: '5xx without Retry-After' },
  clusterConflict: { harmless: false, is: '409 to a write that is not about the object’s name' },
  clusterUnreachable: { harmless: false, is: 'a call to the cluster does not get through' },
  clusterOutage: { harmless: false, is: 'a cluster is unreachable for seconds to minutes' },
  clusterUnauthorized: { harmless: false, is: '401: the credentials are refused' },
  clusterAnswerLost: { harmless: false, is: 'a call timed out but took effect' },
  clusterLateEffect: { harmless: false, is: 'a call timed out and takes effect later' },
  watchGap: { harmless: true, is: 'a watch closes and misses a change' },
  watchSilent: { harmless: true, is: 'a watch stays open and says nothing' },
  watchExpired: { harmless: true, is: '410: the resourceVersion is too old' },
  quotaFull: { harmless: false, is: '403: a ResourceQuota is full for a while' },
  portRangeFull: { harmless: false, is: '500: the node-port range is full for a while' },
  portLate: { harmless: false, is: 'a nodePort comes seconds after its Service' },
  portMissing: { harmless: false, is: 'a nodePort never comes' },
  unschedulable: { harmless: true, is: 'no node fits for a while' },
  statusLate: { harmless: true, is: 'a virtual node runs a Pod and says Pending' },
  statusOdd: { harmless: true, is: 'a virtual node uses a phase of its own, or none' },
  hostLate: { harmless: true, is: 'a node reports its address late' },
  hostMissing: { harmless: false, is: 'a node never reports an address' },
  imagePullSlow: { harmless: true, is: 'an image pull fails at first, within its grace' },
  imagePullFails: { harmless: false, is: 'an image cannot be pulled' },
  containerCrashes: { harmless: false, is: 'the agent’s container crashes' },
  agentLeaves: { harmless: false, is: 'the agent exits well before it has connected' },
  podEvicted: { harmless: false, is: 'a Pod is evicted' },
  podPreempted: { harmless: false, is: 'a Pod is preempted' },
  nodeLost: { harmless: false, is: 'a node stops answering; its Pods are removed minutes later' },
  spotReclaimed: { harmless: false, is: 'a node is reclaimed: its Pods fail by shutdown' },
  deletedByOthers: { harmless: false, is: 'somebody deletes a Service or a Pod' },
  replacedByOthers: { harmless: false, is: 'somebody replaces a Service or a Pod' },
  nameTaken: { harmless: false, is: 'the name is somebody else’s' },
  storeThrottled: { harmless: false, is: 'DynamoDB throttles or does not answer' },
  storeAnswerLost: { harmless: false, is: 'a write to DynamoDB takes effect and seems to have failed' },
  storeRepeated: { harmless: true, is: 'the client repeats a write that took effect: its own condition refuses it' },
  staleExecution: { harmless: true, is: 'the status of an execution, or the list of them, is out of date' },
  staleList: { harmless: true, is: 'a list of launches is out of date' },
  webhookTwice: { harmless: true, is: 'a webhook is delivered again, at once or later' },
  webhookLate: { harmless: true, is: 'a webhook is delivered minutes late' },
  webhookReordered: { harmless: false, is: 'completed is delivered before queued' },
  jobCancelled: { harmless: false, is: 'a job is cancelled: completed is delivered at any moment' },
  webhookLost: { harmless: true, is: 'completed is never delivered' },
  agentEager: { harmless: true, is: 'an agent asks again without a pause' },
  agentSlow: { harmless: true, is: 'an agent asks for the first time after up to a minute' },
  agentNever: { harmless: false, is: 'an agent never asks' },
  agentTwice: { harmless: true, is: 'an agent asks again after it was told' },
  agentFinishes: { harmless: true, is: 'an agent does its work and exits, before its job is said to be completed' },
  agentForeign: { harmless: true, is: 'an agent asks with another’s credential' },
  agentDeaf: { harmless: true, is: 'the answer to an agent is lost' },
  deletedByPeople: { harmless: false, is: 'DELETE /launches/{id} at any moment' },
  deletedTwice: { harmless: false, is: 'DELETE /launches/{id} twice at once' },
  stoppedByPeople: { harmless: false, is: 'the execution is stopped by hand' },
  keyRotated: { harmless: true, is: 'the credentials’ key is rotated in mid-launch' },
  webhookSecretRotated: {
    harmless: true,
    is: 'the webhooks’ secret is rotated; GitHub is told seconds to minutes later',
  },
  credentialForged: { harmless: true, is: 'somebody asks with a credential by a key of their own' },
  webhookForged: { harmless: true, is: 'somebody sends a webhook that they signed themselves' },
  sweepEveryMinute: { harmless: true, is: 'sweeps every minute, as on their schedule' },
  sweepAnyMoment: { harmless: true, is: 'a sweep at any moment' },
  sweepTwice: { harmless: true, is: 'two sweeps at once' },
} as const satisfies Record<string, { harmless: boolean; is: string }>;

/** The name of a kind of fault. */
export type FaultKind = keyof typeof faultKinds;

/** Says whether a text is the name of a kind of fault. */
export function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(faultKinds, text);
}

/** Every kind of fault, in the order of the table. */
export const allFaultKinds: readonly FaultKind[] = Object.keys(faultKinds).filter(isFaultKind);
