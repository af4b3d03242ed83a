import * as z from '../zod.ts';
import { defaultGpuResource } from './agent-size.ts';
import { Quantity } from './quantity.ts';

/** The architectures of nodes. */
const Arch = z.enum(['amd64', 'arm64', 'arm', 'ppc64le', 'riscv64', 's390x']);

/** The sizes that jobs may ask for by label. */
export const Sizes = z.strictObject({
  cpu: z
    .exactOptional(
      z.strictObject({ max: Quantity.check(z.describe('The most cores of one agent, such as 8 or 500m')) }),
    )
    .check(z.describe('davit/cpu=4 asks for 4 cores')),
  memory: z
    .exactOptional(z.strictObject({ max: Quantity.check(z.describe('The most memory of one agent, such as 32Gi')) }))
    .check(z.describe('davit/memory=8Gi asks for 8 GiB')),
  arch: z
    .exactOptional(z.array(Arch).check(z.minLength(1)))
    .check(z.describe('davit/arch=arm64 asks for a node of this architecture: the ones that jobs may ask for')),
  gpu: z
    .exactOptional(
      z.strictObject({
        max: z.int().check(z.gte(1), z.lte(999), z.describe('The most GPUs of one agent')),
        resource: z
          .withDefault(z.string().check(z.minLength(1)), defaultGpuResource)
          .check(z.describe("The resource by which the cluster's nodes offer GPUs")),
      }),
    )
    .check(z.describe('davit/gpu=1 asks for one GPU')),
});
export type Sizes = z.infer<typeof Sizes>;
