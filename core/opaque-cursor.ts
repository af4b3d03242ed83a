import * as z from './zod.ts';

/** Writes a position as an opaque cursor: base64url of its JSON. */
export function writeCursor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Makes the schema of a cursor that `writeCursor` wrote.
 *
 * @param Encoded the schema of the cursor's text. @default base64url
 */
export function cursorTo<Position extends z.core.$ZodType>(Position: Position, Encoded = z.base64url()) {
  return z.pipe(
    z.pipe(
      Encoded,
      z.transform((encoded, context): unknown => {
        try {
          return JSON.parse(Buffer.from(encoded, 'base64url').toString());
        } catch (error) {
          context.issues.push({ code: 'custom', message: String(error), input: encoded });
          return z.NEVER;
        }
      }),
    ),
    Position,
  );
}
