/** What ends a part of a page that a program writes. */
const end = '<!-- End of what is written. -->';
const part = new RegExp(`(<!-- Written by [^>]*-->\\n\\n)[^]*?(\\n${end})`, 'g');

/**
 * Replaces the parts of a page that `npm run docs` writes. Each is between a line `<!-- Written by … -->`, which says from
 * what, and the line that ends it. People write the rest.
 *
 * @param texts of the parts, in their order
 * @throws Error for a page with another number of parts
 */
export function withParts(page: string, ...texts: readonly string[]): string {
  const found = [...page.matchAll(part)].length;
  if (found !== texts.length) throw new Error(`the page has ${found} parts that are written, and not ${texts.length}`);
  const left = texts.values();
  return page.replaceAll(part, (_all, begin: string, after: string) => `${begin}${left.next().value}\n${after}`);
}
