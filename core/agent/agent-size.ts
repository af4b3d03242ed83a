import type { CiProvider } from '../ci/ci-system-config.ts';
import { comparableLabel } from '../ci/ci-systems.ts';
import { nanoQuantity } from '../pod/nano-quantity.ts';
import { shorten } from '../well-formed.ts';
import * as z from '../zod.ts';
import { defaultGpuResource } from './gpu-resource.ts';
import type { Sizes } from './sizes.ts';

/** The beginning of the labels by which a job asks for a size: `davit/cpu=4`. */
export const sizeLabelPrefix = 'davit/';

/**
 * The label of a node's architecture.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-arch
 */
export const archLabel = 'kubernetes.io/arch';

const Asked = z.optional(z.string().check(z.minLength(1), z.maxLength(40)));

/** The size that a job asks for, in the words of its labels; empty for a job that asks for none. */
export const AgentSize = z.object({ arch: Asked, cpu: Asked, gpu: Asked, memory: Asked });
export type AgentSize = z.infer<typeof AgentSize>;

const SizeName = z.keyof(AgentSize);
type SizeName = z.infer<typeof SizeName>;

/** A size, or why a profile does not allow it, and the label at fault. */
export type SizeReading = { size: AgentSize; reason?: never } | { size?: never; reason: string; label: string };

/** The part of a profile that says which sizes it allows. */
interface SizedProfile {
  name: string;
  sizes?: Sizes;
}

/** Says whether a label asks for a size, whether or not davit knows it. */
export function isSizeLabel(provider: CiProvider, label: string): boolean {
  return comparableLabel(provider, label).startsWith(sizeLabelPrefix);
}

/**
 * Reads the size that labels ask for. Each label is one of the profile's steps, or the profile refuses the job: the agent
 * is registered with the job's own label, so davit cannot round it, and each step is a pool of its own.
 *
 * @param labels the job's labels for which `isSizeLabel` holds
 */
export function readSize(
  { name: profile, sizes }: SizedProfile,
  provider: CiProvider,
  labels: readonly string[],
): SizeReading {
  const size: AgentSize = {};
  for (const label of labels) {
    const refuse = (why: string) => ({ reason: `profile ${profile} takes no ${shorten(label, 80)}: ${why}`, label });
    const [, name, value = ''] = /^davit\/([^=]*)(?:=(.*))?$/is.exec(label) ?? [];
    const key = SizeName.safeParse(name?.toLowerCase()).data;
    const allowed = key && allowedOf(sizes)[key];
    if (key === undefined || allowed === undefined) return refuse(offerOf(sizes));
    // The agent is registered with the name in lower case.
    if (comparableLabel(provider, name ?? '') !== key) return refuse(`expected ${sizeLabelPrefix}${key} in lower case`);
    if (size[key] !== undefined) return refuse(`the job asks for ${sizeLabel(key, size[key])}, too`);
    if (!allowed.includes(value)) return refuse(`expected one of ${allowed.join(', ')}`);
    size[key] = value;
  }
  return { size };
}

/** Writes a size as the labels that its agents are registered with, in the order of their names. */
export function sizeLabelsOf(size: AgentSize): string[] {
  return entriesOf(size).map(([name, value]) => sizeLabel(name, value));
}

/** Writes a size as one text, for people: `cpu=4,memory=8Gi`. */
export function sizeText(size: AgentSize): string {
  return entriesOf(size)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** Lists what a size asks of a node's resources, in Kubernetes' names. */
export function resourcesOf({ cpu, memory, gpu }: AgentSize, sizes: Sizes | undefined): Record<string, string> {
  return {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(gpu === undefined ? {} : { [sizes?.gpu?.resource ?? defaultGpuResource]: gpu }),
  };
}

/** Says whether every size that one profile allows is allowed by another one, too. */
export function allowsAllOf(other: Sizes | undefined, one: Sizes | undefined): boolean {
  const [others, ones] = [allowedOf(other), allowedOf(one)];
  return SizeName.options.every((name) => ones[name]?.every((value) => others[name]?.includes(value)) ?? true);
}

/**
 * Finds the container that gets the size: the agent's. An agent in an init container only passes the registration on, and
 * has ended when the job runs: then it is the first of the others, as for `kubectl`.
 */
export function sizedContainer(
  { containers = [], initContainers = [] }: Containers,
  agentContainer: string | undefined,
): string | undefined {
  const passesOn = initContainers.some(
    ({ name, restartPolicy }) => name === agentContainer && restartPolicy !== 'Always',
  );
  return passesOn ? containers[0]?.name : agentContainer;
}

/** The containers of a Pod. One of the init containers that restarts always is a sidecar: it runs beside the others. */
interface Containers {
  containers?: readonly { name: string }[] | undefined;
  initContainers?: readonly { name: string; restartPolicy?: unknown }[] | undefined;
}

/** Says whether a quantity is at most another one; false if one of the two texts is no quantity. */
export function isAtMost(quantity: string, max: string): boolean {
  const [asked, most] = [nanoQuantity(quantity), nanoQuantity(max)];
  return asked !== undefined && most !== undefined && asked <= most;
}

function entriesOf(size: AgentSize): [name: SizeName, value: string][] {
  return SizeName.options.flatMap((name): [SizeName, string][] => {
    const value = size[name];
    return value === undefined ? [] : [[name, value]];
  });
}

function sizeLabel(name: SizeName, value: string): string {
  return `${sizeLabelPrefix}${name}=${value}`;
}

/** Lists the values that a profile allows for each label: its steps, or doublings below its maximum and the maximum. */
function allowedOf({ cpu, memory, arch, gpu }: Sizes = {}): Partial<Record<SizeName, readonly string[]>> {
  return {
    ...(arch && { arch }),
    ...(cpu && { cpu: cpu.steps ?? upTo(cpu.max, (index) => (index === 0 ? '500m' : `${2 ** (index - 1)}`)) }),
    ...(gpu && { gpu: gpu.steps?.map(String) ?? upTo(`${gpu.max}`, (index) => `${2 ** index}`) }),
    ...(memory && {
      memory: memory.steps ?? upTo(memory.max, (index) => (index === 0 ? '512Mi' : `${2 ** (index - 1)}Gi`)),
    }),
  };
}

function upTo(max: string, stepAt: (index: number) => string): string[] {
  const steps: string[] = [];
  while (isAtMost(stepAt(steps.length), max) && !isAtMost(max, stepAt(steps.length))) steps.push(stepAt(steps.length));
  return [...steps, max];
}

function offerOf(sizes: Sizes | undefined): string {
  const offers = Object.entries(allowedOf(sizes)).map(
    ([name, values]) => `${sizeLabelPrefix}${name} of ${values.join(', ')}`,
  );
  return offers.length === 0 ? 'it allows no sizes' : `it allows ${offers.join('; ')}`;
}
