import { shorten, wellFormed } from '../../../core/well-formed.ts';
import * as z from '../../../core/zod.ts';

test.each([
  ['a short text', 'ab', 'ab'],
  ['a text of the maximum', 'abc', 'abc'],
  ['a longer text', 'abcd', 'abc'],
  ['a surrogate pair at the cut', 'ab\u{1F680}', 'ab\uFFFD'],
  ['half a surrogate pair', 'a\uD83D', 'a\uFFFD'],
])('%s is shortened to three well-formed characters', (_what, text, shortened) => {
  expect(shorten(text, 3)).toBe(shortened);
});

test('half a surrogate pair is refused with what was expected', () => {
  const schema = z.string().check(wellFormed);

  expect(schema.safeParse('a\u{1F680}').success).toBe(true);
  expect(schema.safeParse('a\uD83D').error?.issues).toMatchObject([{ message: 'expected well-formed Unicode' }]);
});
