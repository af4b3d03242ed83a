import type { WaitingState } from './container-state.ts';
import { canonicalImage } from './image-reference.ts';
import type { Container } from './pod.ts';

/** What an image of the sandbox is: a command on this machine. */
export interface SandboxImage {
  /** The ENTRYPOINT: a container's `command` replaces it, its `args` are appended. */
  command: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Images by reference; each can be written in any form that names the same image. */
export type ImageTable = Readonly<Record<string, SandboxImage>>;

/** What a kubelet does about a container's image. */
export type ImageDecision =
  | { kind: 'present'; image: SandboxImage }
  | { kind: 'pull'; image: SandboxImage; canonical: string }
  | { kind: 'fail'; error: WaitingState; event: { reason: string; message: string } }
  | { kind: 'pullFails'; error: WaitingState };

/**
 * Decides about a container's image.
 *
 * @param pulled the canonical references that the node has pulled before
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

/** What a container waits for after a pull that failed, in the kubelet's words. */
export function pullBackOff(reference: string, error: WaitingState): WaitingState {
  const cause = error.message === undefined ? error.reason : `${error.reason}: ${error.message}`;
  return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${reference}": ${cause}` };
}

function findImage(table: ImageTable, canonical: string): SandboxImage | undefined {
  const entry = Object.entries(table).find(([name]) => canonicalImage(name) === canonical);
  return entry?.[1];
}

/** As containerd says it of a repository or a tag that the registry does not have. */
function notFoundMessage(canonical: string): string {
  const cause = `failed to resolve reference "${canonical}": ${canonical}: not found`;
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${canonical}": ${cause}`;
}
