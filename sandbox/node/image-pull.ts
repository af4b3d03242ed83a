import type { WaitingState } from './container-state.ts';
import { canonicalImage } from './image-reference.ts';
import type { Container } from './pod.ts';

/** An image of the sandbox: a command on this machine. */
export interface SandboxImage {
  /** The ENTRYPOINT. A container's `command` replaces it, and its `args` follow it. */
  command: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Images by reference. A key can have any form that names the same image. */
export type ImageTable = Readonly<Record<string, SandboxImage>>;

/** The kubelet's decision about a container's image. */
export type ImageDecision =
  | { kind: 'present'; image: SandboxImage }
  | { kind: 'pull'; image: SandboxImage; canonical: string }
  | { kind: 'fail'; error: WaitingState; event: { reason: string; message: string } }
  | { kind: 'pullFails'; error: WaitingState };

/**
 * Decides whether a container's image is present, must be pulled, or fails.
 *
 * @param pulled the canonical references of the images that the node has pulled
 */
export function decideImage(
  { image: reference, imagePullPolicy }: Pick<Container, 'image' | 'imagePullPolicy'>,
  table: ImageTable,
  pulled: ReadonlySet<string>,
): ImageDecision {
  const canonical = canonicalImage(reference);
  if (canonical === undefined) {
    const cause = `"${reference}": couldn't parse image name "${reference}": invalid reference format`;
    const message = `Failed to apply default image tag ${cause}`;
    return {
      kind: 'fail',
      error: { reason: 'InvalidImageName', message },
      event: { reason: 'InspectFailed', message },
    };
  }
  const image = findImage(table, canonical);
  if (image === undefined && imagePullPolicy === 'Never') {
    const reason = 'ErrImageNeverPull';
    const message = `Container image "${reference}" is not present with pull policy of Never`;
    return { kind: 'fail', error: { reason, message }, event: { reason, message } };
  }
  if (image === undefined) {
    return { kind: 'pullFails', error: { reason: 'ErrImagePull', message: notFoundMessage(canonical) } };
  }
  const isPresent = pulled.has(canonical) || imagePullPolicy === 'Never';
  return isPresent && imagePullPolicy !== 'Always' ? { kind: 'present', image } : { kind: 'pull', image, canonical };
}

/** Returns the waiting state after a failed pull, in the kubelet's words. */
export function pullBackOff(reference: string, error: WaitingState): WaitingState {
  const cause = error.message === undefined ? error.reason : `${error.reason}: ${error.message}`;
  return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${reference}": ${cause}` };
}

function findImage(table: ImageTable, canonical: string): SandboxImage | undefined {
  const entry = Object.entries(table).find(([name]) => canonicalImage(name) === canonical);
  return entry?.[1];
}

/** Returns containerd's message for a repository or tag that the registry does not have. */
function notFoundMessage(canonical: string): string {
  const cause = `failed to resolve reference "${canonical}": ${canonical}: not found`;
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${canonical}": ${cause}`;
}
