import * as z from 'zod';
import type { ObjectMeta } from '../cluster-store.ts';
import { type FieldError, invalid, required } from './field-error.ts';
import { labelValue, type NameRule, qualifiedName } from './object-name.ts';

const ownerReferenceSchema = z.object({
  apiVersion: z.string().default(''),
  kind: z.string().default(''),
  name: z.string().default(''),
  uid: z.string().default(''),
  controller: z.boolean().exactOptional(),
  blockOwnerDeletion: z.boolean().exactOptional(),
});

/** The metadata that a client may send. What only the server may say is read too, for preconditions. */
export const clientMetadataSchema = z.object({
  name: z.string().default(''),
  generateName: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
  annotations: z.record(z.string(), z.string()).exactOptional(),
  ownerReferences: z.array(ownerReferenceSchema).exactOptional(),
  finalizers: z.array(z.string()).exactOptional(),
});

/** @see clientMetadataSchema */
export type ClientMetadata = z.infer<typeof clientMetadataSchema>;

const MOST_ANNOTATION_BYTES = 256 * 1024;

/** Says what is wrong with labels, or with a selector made of them. */
export const labelErrors = (field: string, labels: Readonly<Record<string, string>> = {}): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map((flaw) => invalid(field, key, flaw)),
    ...labelValue(value).map((flaw) => invalid(field, value, flaw)),
  ]);

const annotationErrors = (annotations: Readonly<Record<string, string>> = {}): FieldError[] => {
  const sizeBytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...Object.keys(annotations).flatMap((key) =>
      qualifiedName(key.toLowerCase()).map((flaw) => invalid('metadata.annotations', key, flaw)),
    ),
    ...(sizeBytes > MOST_ANNOTATION_BYTES
      ? [
          {
            reason: 'FieldValueTooMany' as const,
            field: 'metadata.annotations',
            message: `Too long: may not be more than ${MOST_ANNOTATION_BYTES} bytes`,
          },
        ]
      : []),
  ];
};

const ownerErrors = (metadata: ObjectMeta): FieldError[] =>
  (metadata.ownerReferences ?? []).flatMap((owner) =>
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

/** Says what is wrong with an object's metadata; `nameRule` is its kind's. */
export const metadataErrors = (metadata: ObjectMeta, nameRule: NameRule): FieldError[] => [
  // A prefix may end in what a name may not, as something follows it.
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
