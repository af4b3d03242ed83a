import { nanoQuantity } from '../pod/nano-quantity.ts';
import { Quantity } from '../pod/quantity.ts';
import * as z from '../zod.ts';
import { defaultGpuResource } from './gpu-resource.ts';

/** The architectures of nodes. */
const Arch = z.enum(['amd64', 'arm64', 'arm', 'ppc64le', 'riscv64', 's390x']);

/**
 * Kubernetes' smallest quantity of CPU is a thousandth of a core. Memory of less than 1 MiB is most likely a number
 * whose unit is missing.
 */
const finestCpu = 1_000_000n;
const leastMemory = 1024n ** 2n * 1_000_000_000n;

const Cores = Quantity.check(
  z.refine((text) => (nanoQuantity(text) ?? 0n) % finestCpu === 0n, { error: 'expected cores such as 4 or 500m' }),
);
const Memory = Quantity.check(
  z.refine((text) => (nanoQuantity(text) ?? leastMemory) >= leastMemory, {
    error: 'expected memory such as 8Gi, at least 1Mi',
  }),
);
const Gpus = z.int().check(z.gte(1), z.lte(999));

/** Each step is a pool of its own, with each step of the other sizes. */
const mostSteps = 32;

function stepsOf<Step extends z.core.SomeType>(step: Step, defaults: string) {
  const words = `The only values that a job may ask for, none above max. Default: ${defaults}, and max`;
  return z.exactOptional(z.array(step).check(z.minLength(1), z.maxLength(mostSteps), z.describe(words)));
}

/** The sizes that jobs may ask for by label. */
export const Sizes = z.strictObject({
  cpu: z
    .exactOptional(
      z.strictObject({
        max: Cores.check(z.describe('The most cores of one agent, such as 8 or 500m')),
        steps: stepsOf(Cores, '500m, 1, 2, 4, and so on below max'),
      }),
    )
    .check(z.describe('davit/cpu=4 asks for 4 cores')),
  memory: z
    .exactOptional(
      z.strictObject({
        max: Memory.check(z.describe('The most memory of one agent, such as 32Gi')),
        steps: stepsOf(Memory, '512Mi, 1Gi, 2Gi, 4Gi, and so on below max'),
      }),
    )
    .check(z.describe('davit/memory=8Gi asks for 8 GiB')),
  arch: z
    .exactOptional(z.array(Arch).check(z.minLength(1)))
    .check(z.describe('davit/arch=arm64 asks for a node of this architecture: the ones that jobs may ask for')),
  gpu: z
    .exactOptional(
      z.strictObject({
        max: Gpus.check(z.describe('The most GPUs of one agent')),
        steps: stepsOf(Gpus, '1, 2, 4, and so on below max'),
        resource: z
          .withDefault(z.string().check(z.minLength(1)), defaultGpuResource)
          .check(z.describe("The resource by which the cluster's nodes offer GPUs")),
      }),
    )
    .check(z.describe('davit/gpu=1 asks for one GPU')),
});
export type Sizes = z.infer<typeof Sizes>;
