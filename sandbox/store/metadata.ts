import * as z from 'zod';
import type { ObjectMeta } from '../cluster-store.ts';
import { type FieldError, invalid, required } from './field-error.ts';
import { labelValue, type NameRule, qualifiedName } from './object-name.ts';

const OwnerReference = z.object({
  apiVersion: z.string().default(''),
  kind: z.string().default(''),
  name: z.string().default(''),
  uid: z.string().default(''),
  controller: z.boolean().exactOptional(),
  blockOwnerDeletion: z.boolean().exactOptional(),
});

/** The metadata that a client can send. It includes fields that only the server sets, for preconditions. */
export const ClientMetadata = z.object({
  name: z.string().default(''),
  generateName: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
  annotations: z.record(z.string(), z.string()).exactOptional(),
  ownerReferences: z.array(OwnerReference).exactOptional(),
  finalizers: z.array(z.string()).exactOptional(),
});

/** @see ClientMetadata */
export type ClientMetadata = z.infer<typeof ClientMetadata>;

const mostAnnotationBytes = 256 * 1024;

/** Checks labels, or a selector made of labels. */
export function labelErrors(field: string, labels: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map((flaw) => invalid(field, key, flaw)),
    ...labelValue(value).map((flaw) => invalid(field, value, flaw)),
  ]);
}

function annotationErrors(annotations: Readonly<Record<string, string>> = {}): FieldError[] {
  const sizeBytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...Object.keys(annotations).flatMap((key) =>
      qualifiedName(key.toLowerCase()).map((flaw) => invalid('metadata.annotations', key, flaw)),
    ),
    ...(sizeBytes > mostAnnotationBytes
      ? [
          {
            reason: 'FieldValueTooMany' as const,
            field: 'metadata.annotations',
            message: `Too long: may not be more than ${mostAnnotationBytes} bytes`,
          },
        ]
      : []),
  ];
}

function ownerErrors(metadata: ObjectMeta): FieldError[] {
  return (metadata.ownerReferences ?? []).flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => owner[field] === '')
      .map((field) =>
        invalid(
          `metadata.ownerReferences.${field}`,
          '',
          field === 'apiVersion' ? 'version must not be empty' : 'must not be empty',
        ),
      ),
  );
}

/** Checks an object's metadata. `nameRule` is the rule of the object's kind. */
export function metadataErrors(metadata: ObjectMeta, nameRule: NameRule): FieldError[] {
  return [
    // A prefix can end with a dash, although a name cannot, because a suffix follows it.
    ...nameRule((metadata.generateName ?? 'x').replace(/-$/, 'x')).map((flaw) =>
      invalid('metadata.generateName', metadata.generateName, flaw),
    ),
    ...(metadata.name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : nameRule(metadata.name).map((flaw) => invalid('metadata.name', metadata.name, flaw))),
    ...labelErrors('metadata.labels', metadata.labels),
    ...annotationErrors(metadata.annotations),
    ...ownerErrors(metadata),
    ...(metadata.finalizers ?? [])
      .filter((finalizer) => !['orphan', 'foregroundDeletion'].includes(finalizer))
      .flatMap((finalizer) => qualifiedName(finalizer).map((flaw) => invalid('metadata.finalizers', finalizer, flaw))),
  ];
}
