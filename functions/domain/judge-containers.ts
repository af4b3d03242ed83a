import type { TerminalCode } from './error-codes.ts';
import type { PodView } from './kubernetes-objects.ts';
import type { Graces } from './launch-state.ts';
import type { PodVerdict } from './pod-verdict.ts';
import { containersOf, type JudgedContainer, stateOf, wordsOf } from './pod-words.ts';

interface GraceRule {
  grace: keyof Graces;
  code: TerminalCode;
}

const pull: GraceRule = { grace: 'imagePullSeconds', code: 'ImagePullFailed' };
const unusable: GraceRule = { grace: 'imagePullSeconds', code: 'ImageNotUsable' };
const config: GraceRule = { grace: 'containerSeconds', code: 'ContainerConfigInvalid' };
const start: GraceRule = { grace: 'containerSeconds', code: 'ContainerStartFailed' };

/**
 * What a kubelet lets a container wait for although something is wrong. Every other word is waited for as it is.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/types.go
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/container/sync_result.go
 */
const graceRules: ReadonlyMap<string, GraceRule> = new Map([
  ['ErrImagePull', pull],
  ['ImagePullBackOff', pull],
  ['RegistryUnavailable', pull],
  ['SignatureValidationFailed', pull],
  ['ErrImageNeverPull', unusable],
  ['ImageInspectError', unusable],
  ['CreateContainerConfigError', config],
  ['CreateContainerError', start],
  ['RunContainerError', start],
  ['CreatePodSandboxError', start],
  ['ConfigPodSandboxError', start],
  ['FailedCreatePodSandBox', start],
  ['PreCreateHookError', start],
  ['PreStartHookError', start],
  ['PostStartHookError', start],
]);

/** How a runtime ends a container that it could not start: the first by containerd and CRI-O, the second by dockershim. */
const startFailures: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);

/**
 * Judges a Pod by its containers.
 *
 * @returns the gravest finding: of a container that is over before one that has its grace; undefined when none is wrong
 */
export function judgeContainers(pod: PodView): PodVerdict | undefined {
  const containers = containersOf(pod);
  // Sidecars end when the agent has: its end is the one to tell.
  const agentFirst = [
    ...containers.filter(({ role }) => role === 'regular'),
    ...containers.filter(({ role }) => role !== 'regular'),
  ];
  const verdicts = agentFirst.map(judgeContainer).filter((verdict) => verdict !== undefined);
  return verdicts.find(({ kind }) => kind === 'terminal') ?? verdicts[0];
}

function judgeContainer(container: JudgedContainer): PodVerdict | undefined {
  const { status, about } = container;
  const { waiting } = status.state ?? {};
  if (waiting?.reason === 'InvalidImageName') {
    return { kind: 'terminal', code: 'ImageNameInvalid', says: wordsOf(waiting), about };
  }
  if (isOver(container)) return judgeEnd(container);
  const rule = graceRules.get(waiting?.reason ?? '');
  if (waiting === undefined || rule === undefined) return undefined;
  return { kind: 'grace', ...rule, says: `${wordsOf(waiting)}${policyOf(container, rule)}`, about };
}

/**
 * A regular container is to run until the agent connects, an init container may end well, and a sidecar is started again.
 * A sidecar that has ended twice is in a crash loop, which a kubelet does not call by its name when the Pod's own
 * restartPolicy is Never.
 */
function isOver({ status, role }: JudgedContainer): boolean {
  const { waiting, terminated } = status.state ?? {};
  if (waiting?.reason === 'CrashLoopBackOff') return true;
  if (terminated === undefined) return false;
  if (role === 'sidecar') return (status.restartCount ?? 0) > 0;
  return role === 'regular' || terminated.exitCode !== 0;
}

function judgeEnd({ status, spec, role, about }: JudgedContainer): PodVerdict {
  const end = status.state?.terminated ?? status.lastState?.terminated;
  const says = stateOf(status);
  if (end?.reason === 'OOMKilled') {
    const limit = spec?.resources?.limits?.memory ?? 'none, so its node ran out';
    return { kind: 'terminal', code: 'OutOfMemory', says: `${says}; memory limit: ${limit}`, about };
  }
  if (startFailures.has(end?.reason ?? '')) return { kind: 'terminal', code: 'ContainerStartFailed', says, about };
  return { kind: 'terminal', code: role === 'init' ? 'InitContainerFailed' : 'ContainerTerminated', says, about };
}

function policyOf({ spec }: JudgedContainer, rule: GraceRule): string {
  return rule === unusable && spec?.imagePullPolicy ? `; imagePullPolicy: ${spec.imagePullPolicy}` : '';
}
