import * as z from '../zod.ts';

/** A DNS label. */
export const DnsLabel = z
  .string()
  .check(z.regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'expected a DNS label: up to 63 of a-z, 0-9 and -'));

const Image = z.string().check(z.minLength(1));
const quantities = z.optional(z.record(z.string(), z.unknown()));
const container = {
  name: DnsLabel,
  env: z.optional(z.array(z.looseObject({ name: z.string() }))),
  resources: z.optional(z.looseObject({ requests: quantities, limits: quantities })),
};
const nodeSelector = z.optional(z.record(z.string(), z.string()));
const initContainers = z.optional(z.array(z.looseObject({ ...container, restartPolicy: z.optional(z.unknown()) })));

const metadata = z.optional(
  z.strictObject(
    { labels: z.optional(z.record(z.string(), z.string())), annotations: z.optional(z.record(z.string(), z.string())) },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys' ? 'expected labels and annotations only (davit sets the rest)' : undefined,
    },
  ),
);

/**
 * A fragment of a PodTemplateSpec. Its fields are Kubernetes' own and are checked against Kubernetes' schema where
 * davit.yaml is read, not here.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/#PodTemplateSpec
 */
export const PodTemplate = z.strictObject({
  metadata,
  spec: z.looseObject({
    nodeSelector,
    initContainers,
    containers: z.array(z.looseObject({ ...container, image: Image })).check(z.minLength(1)),
  }),
});
export type PodTemplate = z.infer<typeof PodTemplate>;

/** The parts that a profile may leave out of its template if a runner's preset has them. */
export const PodTemplateFragment = z.strictObject({
  metadata,
  spec: z.optional(
    z.looseObject({
      nodeSelector,
      initContainers,
      containers: z.optional(z.array(z.looseObject({ ...container, image: z.optional(Image) })).check(z.minLength(1))),
    }),
  ),
});
export type PodTemplateFragment = z.infer<typeof PodTemplateFragment>;
