import * as z from '../zod.ts';
import { nanoQuantity } from './nano-quantity.ts';

/** A quantity in davit.yaml: text, or a number as people write it for cores. */
export const Quantity = z.pipe(
  z.pipe(
    z.union([z.string(), z.number()], { error: 'expected a quantity such as 8, 500m or 32Gi' }),
    z.transform(String),
  ),
  z.string().check(
    z.refine((text) => (nanoQuantity(text) ?? 0n) > 0n, {
      error: 'expected a quantity above 0 such as 8, 500m or 32Gi',
    }),
  ),
);
