import { setImmediate as nextTurn } from 'node:timers/promises';
import { Slots } from '../../../support/aws/lambda/slots.ts';

describe('slots', () => {
  test('limit concurrent work, first come first served', async () => {
    const slots = new Slots(2);
    const began: number[] = [];
    let working = 0;
    let most = 0;

    await Promise.all(
      [0, 1, 2, 3, 4].map((index) =>
        slots.take(async () => {
          began.push(index);
          working += 1;
          most = Math.max(most, working);
          await nextTurn();
          working -= 1;
        }),
      ),
    );

    expect(most).toBe(2);
    expect(began).toEqual([0, 1, 2, 3, 4]);
  });

  test('are free again after work that throws', async () => {
    const slots = new Slots(1);

    await expect(slots.take(() => Promise.reject(new RangeError('broken')))).rejects.toThrow('broken');

    await expect(slots.take(() => Promise.resolve('done'))).resolves.toBe('done');
  });
});
