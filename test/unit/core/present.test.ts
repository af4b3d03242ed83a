import { present } from '../../../core/present.ts';

test('the copy lacks the undefined fields only', () => {
  const fields = { zero: 0, empty: '', no: false, nothing: null, missing: undefined };

  expect(Object.entries(present(fields))).toEqual([
    ['zero', 0],
    ['empty', ''],
    ['no', false],
    ['nothing', null],
  ]);
});
