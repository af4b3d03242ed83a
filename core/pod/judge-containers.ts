import type { TerminalCode } from '../errors/error-codes.ts';
import { containersOf, type JudgedContainer, stateOf, wordsOf } from './describe-pod.ts';
import type { Graces } from './graces.ts';
import type { PodView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';

interface GraceRule {
  grace: keyof Graces;
  code: TerminalCode;
}

const pull: GraceRule = { grace: 'imagePullSeconds', code: 'ImagePullFailed' };
const unusable: GraceRule = { grace: 'imagePullSeconds', code: 'ImageNotUsable' };
const config: GraceRule = { grace: 'containerSeconds', code: 'ContainerConfigInvalid' };
const start: GraceRule = { grace: 'containerSeconds', code: 'ContainerStartFailed' };

/**
 * The reasons for which a kubelet lets a container wait although something is wrong. davit waits on any other reason.
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

/** Says which grace period a code's trouble has; undefined for a code without one. */
export function graceOf(code: string): keyof Graces | undefined {
  return [...graceRules.values()].find((rule) => rule.code === code)?.grace;
}

/** The reason of a container that the runtime could not start: by containerd and CRI-O, and by dockershim. */
const startFailures: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);

/**
 * Judges a Pod by its containers.
 *
 * @returns the gravest finding: a container that is over comes before one with a grace; undefined when nothing is wrong
 */
export function judgeContainers(pod: PodView): PodVerdict | undefined {
  const containers = containersOf(pod);
  // Sidecars end when the agent has ended: the agent's end is the one to report.
  const agentFirst = [
    ...containers.filter(({ role }) => role === 'regular'),
    ...containers.filter(({ role }) => role !== 'regular'),
  ];
  const verdicts = agentFirst.map(judgeContainer).filter((verdict) => verdict !== undefined);
  return verdicts.find(({ kind }) => kind === 'terminal') ?? verdicts[0];
}

function judgeContainer(container: JudgedContainer): PodVerdict | undefined {
  const { status, subject } = container;
  const { waiting } = status.state ?? {};
  if (waiting?.reason === 'InvalidImageName') {
    return { kind: 'terminal', code: 'ImageNameInvalid', detail: wordsOf(waiting), subject };
  }
  if (isOver(container)) return judgeEnd(container);
  const rule = graceRules.get(waiting?.reason ?? '');
  if (waiting === undefined || rule === undefined) return undefined;
  return { kind: 'grace', ...rule, detail: `${wordsOf(waiting)}${policyOf(container, rule)}`, subject };
}

/**
 * A regular container must run until the agent connects, an init container may exit with code 0, and the kubelet restarts
 * a sidecar. A sidecar that has ended twice is in a crash loop, which the kubelet does not call CrashLoopBackOff when the
 * Pod's own restartPolicy is Never.
 */
function isOver({ status, role }: JudgedContainer): boolean {
  const { waiting, terminated } = status.state ?? {};
  if (waiting?.reason === 'CrashLoopBackOff') return true;
  if (terminated === undefined) return false;
  if (role === 'sidecar') return (status.restartCount ?? 0) > 0;
  return role === 'regular' || terminated.exitCode !== 0;
}

function judgeEnd({ status, spec, role, subject }: JudgedContainer): PodVerdict {
  const end = status.state?.terminated ?? status.lastState?.terminated;
  const detail = stateOf(status);
  if (end?.reason === 'OOMKilled') {
    const limit = spec?.resources?.limits?.memory ?? 'none, so its node ran out';
    return { kind: 'terminal', code: 'OutOfMemory', detail: `${detail}; memory limit: ${limit}`, subject };
  }
  if (startFailures.has(end?.reason ?? '')) return { kind: 'terminal', code: 'ContainerStartFailed', detail, subject };
  return { kind: 'terminal', code: role === 'init' ? 'InitContainerFailed' : 'ContainerTerminated', detail, subject };
}

function policyOf({ spec }: JudgedContainer, rule: GraceRule): string {
  return rule === unusable && spec?.imagePullPolicy ? `; imagePullPolicy: ${spec.imagePullPolicy}` : '';
}
