import * as z from '../zod.ts';
import type { CiProvider } from './ci-system-config.ts';
import { comparableLabel } from './ci-systems.ts';
import { nanoQuantity } from './nano-quantity.ts';
import type { Sizes } from './sizes.ts';
import { shorten } from './well-formed.ts';

/** The beginning of the labels by which a job asks for a size: `davit/cpu=4`. */
export const sizeLabelPrefix = 'davit/';

/**
 * The label of a node's architecture.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-arch
 */
export const archLabel = 'kubernetes.io/arch';

/** The resource of GPUs, unless a profile says otherwise. */
export const defaultGpuResource = 'nvidia.com/gpu';

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
 * Reads the size that labels ask for. Each label is within its maximum, or the profile refuses the job: davit gives no
 * agent less than its job asks for.
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
    const rule = key && ruleOf(sizes, key);
    if (key === undefined || rule === undefined) return refuse(offerOf(sizes));
    // The agent is registered with the name in lower case.
    if (comparableLabel(provider, name ?? '') !== key) return refuse(`expected ${sizeLabelPrefix}${key} in lower case`);
    if (size[key] !== undefined) return refuse(`the job asks for ${sizeLabel(key, size[key])}, too`);
    const why = rule(value);
    if (why !== undefined) return refuse(why);
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
export function allowsAllOf(other: Sizes | undefined, { cpu, memory, arch = [], gpu }: Sizes = {}): boolean {
  return (
    arch.every((each) => other?.arch?.includes(each) === true) &&
    isAtMost(cpu?.max ?? '0', other?.cpu?.max ?? '0') &&
    isAtMost(memory?.max ?? '0', other?.memory?.max ?? '0') &&
    (gpu?.max ?? 0) <= (other?.gpu?.max ?? 0)
  );
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

/** Says why a value is refused. */
type SizeRule = (value: string) => string | undefined;

/**
 * Kubernetes' smallest quantity of CPU is a thousandth of a core. Memory of less than 1 MiB is most likely a number
 * whose unit is missing.
 */
const finestCpu = 1_000_000n;
const leastMemory = 1024n ** 2n * 1_000_000_000n;

/** @returns undefined for a size that the profile does not offer */
function ruleOf(sizes: Sizes | undefined, name: SizeName): SizeRule | undefined {
  const { cpu, memory, arch, gpu } = sizes ?? {};
  const rules: Record<SizeName, SizeRule | undefined> = {
    cpu: cpu && quantityRule('cores such as 4 or 500m', cpu.max, (nano) => nano > 0n && nano % finestCpu === 0n),
    memory: memory && quantityRule('memory such as 8Gi, at least 1Mi', memory.max, (nano) => nano >= leastMemory),
    arch: arch && ((value) => (arch.some((each) => each === value) ? undefined : `expected one of ${arch.join(', ')}`)),
    gpu: gpu && gpuRule(gpu.max),
  };
  return rules[name];
}

function quantityRule(words: string, max: string, isMeant: (nano: bigint) => boolean): SizeRule {
  return (value) => {
    const nano = value.length <= 20 ? nanoQuantity(value) : undefined;
    if (nano === undefined || !isMeant(nano)) return `expected ${words}, and at most ${max}`;
    return isAtMost(value, max) ? undefined : `its maximum is ${max}`;
  };
}

function gpuRule(max: number): SizeRule {
  return (value) => {
    if (!/^[1-9]\d{0,5}$/.test(value)) return `expected a whole number from 1, and at most ${max}`;
    return Number(value) <= max ? undefined : `its maximum is ${max}`;
  };
}

function offerOf(sizes: Sizes | undefined): string {
  const { cpu, memory, arch, gpu } = sizes ?? {};
  const offers = [
    ...(arch === undefined ? [] : [`davit/arch of ${arch.join(', ')}`]),
    ...(cpu === undefined ? [] : [`davit/cpu up to ${cpu.max}`]),
    ...(gpu === undefined ? [] : [`davit/gpu up to ${gpu.max}`]),
    ...(memory === undefined ? [] : [`davit/memory up to ${memory.max}`]),
  ];
  return offers.length === 0 ? 'it allows no sizes' : `it allows ${offers.join('; ')}`;
}
