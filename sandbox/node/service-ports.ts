import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { portNumber, readPod } from './pod.ts';
import { readConditions } from './pod-status.ts';

const ServiceSpec = z.object({
  type: z.string().default('ClusterIP'),
  selector: z.record(z.string(), z.string()).default({}),
  publishNotReadyAddresses: z.boolean().default(false),
  externalTrafficPolicy: z.string().default('Cluster'),
  ports: z
    .array(
      z.object({
        name: z.string().optional(),
        protocol: z.string().default('TCP'),
        port: z.number(),
        targetPort: z.union([z.number(), z.string()]).optional(),
        nodePort: z.number().optional(),
      }),
    )
    .default([]),
});
/** The part of a Service's spec that decides where its traffic goes. */
export type ServiceSpec = z.infer<typeof ServiceSpec>;

/** One port of a Service. */
export type ServicePort = ServiceSpec['ports'][number];

/** A target of a connection. */
export interface Backend {
  address: string;
  port: number;
}

/** Reads the part of a Service that the proxy uses. */
export function readService(service: KubeObject): ServiceSpec {
  return ServiceSpec.parse(service.spec ?? {});
}

/** Whether a Service selects a Pod. A Service without a selector selects none. */
export function selects({ selector }: ServiceSpec, pod: KubeObject): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/**
 * Finds the backends of a Service's port.
 *
 * @param pods the Pods of the Service's Namespace
 * @param nodeName the node whose nodePort received the connection
 */
export function backendsOf(
  service: ServiceSpec,
  port: ServicePort,
  pods: readonly KubeObject[],
  nodeName: string,
): Backend[] {
  return pods
    .filter((pod) => selects(service, pod) && isEligible(service, pod, nodeName))
    .flatMap((pod) => {
      const address = pod.status?.['podIP'];
      const containers = readPod(pod).pod?.spec.containers ?? [];
      const target = portNumber(
        containers.flatMap(({ ports }) => ports),
        port.targetPort ?? port.port,
      );
      return typeof address === 'string' && target !== undefined ? [{ address, port: target }] : [];
    });
}

function isEligible(service: ServiceSpec, pod: KubeObject, nodeName: string): boolean {
  const phase = pod.status?.['phase'];
  const isReady = readConditions(pod.status ?? {}).some(({ type, status }) => type === 'Ready' && status === 'True');
  const isHere = pod.spec?.['nodeName'] === nodeName;
  return (
    phase !== 'Succeeded' &&
    phase !== 'Failed' &&
    (service.publishNotReadyAddresses || (isReady && pod.metadata.deletionTimestamp === undefined)) &&
    (service.externalTrafficPolicy !== 'Local' || isHere)
  );
}
