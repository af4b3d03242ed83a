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
  cpu: z.described(
    z.exactOptional(
      z.strictObject({
        max: z.described(Cores, 'The most cores of one agent, such as 8 or 500m'),
        steps: stepsOf(Cores, '500m, 1, 2, 4, and so on below max'),
      }),
    ),
    'davit/cpu=4 asks for 4 cores',
  ),
  memory: z.described(
    z.exactOptional(
      z.strictObject({
        max: z.described(Memory, 'The most memory of one agent, such as 32Gi'),
        steps: stepsOf(Memory, '512Mi, 1Gi, 2Gi, 4Gi, and so on below max'),
      }),
    ),
    'davit/memory=8Gi asks for 8 GiB',
  ),
  arch: z.described(
    z.exactOptional(z.array(Arch).check(z.minLength(1))),
    'davit/arch=arm64 asks for a node of this architecture: the ones that jobs may ask for',
  ),
  gpu: z.described(
    z.exactOptional(
      z.strictObject({
        max: z.described(Gpus, 'The most GPUs of one agent'),
        steps: stepsOf(Gpus, '1, 2, 4, and so on below max'),
        resource: z.described(
          z.withDefault(z.string().check(z.minLength(1)), defaultGpuResource),
          "The resource by which the cluster's nodes offer GPUs",
        ),
      }),
    ),
    'davit/gpu=1 asks for one GPU',
  ),
});
export type Sizes = z.infer<typeof Sizes>;
