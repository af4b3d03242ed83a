import * as z from '../functions/zod.ts';

/** Reads a part of a config that may be malformed, and is undefined then: what reports it must not hide other problems. */
export function part<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.withFallback(z.optional(schema), undefined);
}

/** @param item a schema whose fields are all a `part`, so that an item that is no mapping counts as empty */
export function list<Item extends z.ZodMiniType>(item: Item) {
  return z.withFallback(z.array(z.withFallback(item, () => item.parse({}))), []);
}
