import * as fc from 'fast-check';
import type { JsonValue } from '../../../../local/json-value.ts';
import { mutatedJson } from './mutated-json.ts';

/** The uid of the unchanged objects. */
export const uid = 'uid-1';
/** The port of their agent. */
export const agentPort = 8811;

const metadata = {
  name: 'davit-github-1-2-1',
  namespace: 'davit-agents',
  uid,
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { 'davit.dev/launch-id': 'github-1-2-1' },
  ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'davit-github-1-2-1', uid: 'uid-0' }],
};

const containerStates: JsonValue[] = [
  { running: { startedAt: '2026-01-01T00:00:03Z' } },
  { waiting: { reason: 'ContainerCreating' } },
  { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } },
  { waiting: { reason: 'CrashLoopBackOff' } },
  { waiting: { reason: 'InvalidImageName' } },
  { terminated: { exitCode: 137, reason: 'OOMKilled' } },
  { terminated: { exitCode: 0, reason: 'Completed' } },
  {},
];

/** A Pod as an API server sends it. */
function podOf(phase: string, state: JsonValue): JsonValue {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'agent', image: 'registry.example/agent:1' }],
      initContainers: [{ name: 'proxy', image: 'registry.example/proxy:1', restartPolicy: 'Always' }],
    },
    status: {
      phase,
      hostIP: '10.0.0.7',
      podIP: '10.1.0.9',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
      containerStatuses: [{ name: 'agent', ready: false, restartCount: 0, image: 'registry.example/agent:1', state }],
      initContainerStatuses: [{ name: 'proxy', state: { terminated: { exitCode: 1 } }, lastState: {} }],
    },
  };
}

const service: JsonValue = {
  kind: 'Service',
  apiVersion: 'v1',
  metadata,
  spec: { type: 'NodePort', ports: [{ name: 'agent', protocol: 'TCP', port: agentPort, nodePort: 30_123 }] },
};

const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown', ''];
// Made once: each mutator traverses the whole object to find its places.
const pods = phases.flatMap((phase) => containerStates.map((state) => mutatedJson(podOf(phase, state))));

/** Pods as a cluster may report them, valid or not. */
export const anyPodJson: fc.Arbitrary<JsonValue> = fc.oneof(...pods);
/** Services as a cluster may report them, valid or not. */
export const anyServiceJson: fc.Arbitrary<JsonValue> = mutatedJson(service);
