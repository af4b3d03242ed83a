import * as z from '../zod.ts';

/** Reads a part of a config, or returns undefined if the part is malformed: a reported problem must not hide others. */
export function part<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.withFallback(z.optional(schema), undefined);
}

/** @param item a schema whose fields are all a `part`; an item that is not a mapping counts as empty */
export function list<Item extends z.ZodMiniType>(item: Item) {
  return z.withFallback(z.array(z.withFallback(item, () => item.parse({}))), []);
}
