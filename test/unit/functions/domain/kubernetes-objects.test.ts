import { expect, test } from '@jest/globals';
import { PodView } from '../../../../functions/domain/kubernetes-objects.ts';

test("what has a length of its own, too deep to be compared, is refused with the field's name", () => {
  const length: unknown = JSON.parse('['.repeat(5000) + ']'.repeat(5000));

  const { error } = PodView.safeParse({ metadata: { name: 'x', uid: 'y', resourceVersion: { length } } });

  expect(error?.issues).toContainEqual(
    expect.objectContaining({ path: ['metadata', 'resourceVersion'], expected: 'string' }),
  );
});
