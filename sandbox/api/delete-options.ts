import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { present } from '../../core/present.ts';
import type { DeleteOptions } from '../cluster-store.ts';
import { invalid, notSupported } from '../store/field-error.ts';
import { invalidOptions } from '../store/status-error.ts';
import { decode } from '../store/strategy.ts';
import { isJsonObject, withoutNulls } from './json.ts';
import { parseJson, readBody } from './request-body.ts';
import { queryFlag, queryNumber } from './revision.ts';

const policies = ['Foreground', 'Background', 'Orphan'] as const;
function isPolicy(text: string): text is (typeof policies)[number] {
  return policies.some((policy) => policy === text);
}

const DeleteOptionsBody = z.looseObject({
  gracePeriodSeconds: z.int().exactOptional(),
  propagationPolicy: z.string().exactOptional(),
  orphanDependents: z.boolean().exactOptional(),
  preconditions: z
    .object({ uid: z.string().exactOptional(), resourceVersion: z.string().exactOptional() })
    .exactOptional(),
  dryRun: z.array(z.string()).default([]),
});

/** The options of a delete request. */
export interface DeleteRequest extends DeleteOptions {
  dryRun: boolean;
}

/**
 * Reads delete options from a parsed body.
 *
 * @throws StatusError BadRequest (400) for the wrong shape, Invalid (422) for an unknown policy.
 */
export function toDeleteRequest(body: unknown): DeleteRequest {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = decode(
    DeleteOptionsBody,
    body,
    'DeleteOptions',
    '',
  );
  const field = 'propagationPolicy';
  if (propagationPolicy !== undefined && !isPolicy(propagationPolicy)) {
    throw invalidOptions('DeleteOptions', [notSupported(field, propagationPolicy, [...policies, 'nil'])]);
  }
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const flaw = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalidOptions('DeleteOptions', [invalid(field, propagationPolicy, flaw)]);
  }
  // The deprecated field stands for a policy.
  const policy = propagationPolicy ?? (orphanDependents === true ? 'Orphan' : undefined);
  return { dryRun: dryRun.length > 0, ...present({ gracePeriodSeconds, propagationPolicy: policy, preconditions }) };
}

/**
 * Reads the options of a delete request from its query and its body. The body takes precedence.
 *
 * @throws StatusError BadRequest (400) for the wrong shape, Invalid (422) for an unknown policy.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/
 */
export async function readDeleteRequest(request: IncomingMessage, query: URLSearchParams): Promise<DeleteRequest> {
  const text = await readBody(request);
  if (text.trim() !== '') {
    const body = withoutNulls(parseJson(text, 'error decoding DeleteOptions'));
    return toDeleteRequest(isJsonObject(body) ? { ...fromQuery(query), ...body } : body);
  }
  return toDeleteRequest(fromQuery(query));
}

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  return present({
    gracePeriodSeconds: queryNumber(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: query.has('orphanDependents') ? queryFlag(query, 'orphanDependents') : undefined,
    dryRun: query.getAll('dryRun'),
  });
}
