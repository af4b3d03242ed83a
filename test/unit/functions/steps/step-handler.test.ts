import { beforeAll, describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { PendingError, TerminalError, TransientError } from '../../../../functions/domain/errors.ts';
import { logger } from '../../../../functions/logger.ts';
import { stepHandler } from '../../../../functions/steps/step-handler.ts';

// Said to nobody: this is about what the state machine sees.
beforeAll(() => logger.setLogLevel('SILENT'));

const Input = z.object({ launchId: z.string(), port: z.int().positive() });
const Output = z.object({ port: z.int().positive() });

function handlerOf(run: (input: z.infer<typeof Input>) => Promise<z.infer<typeof Output>>) {
  return stepHandler({ name: 'PollNodePort', Input, Output, run });
}

test('a step is given what it takes and gives what it promises, and nothing beside', async () => {
  const given: unknown[] = [];
  const handler = handlerOf(async (input) => {
    given.push(input);
    return { port: 30_080, secret: 'not for the execution’s data' };
  });

  const output = await handler({ launchId: 'github-1-2-1', port: 8811, unknown: true });

  expect(given).toEqual([{ launchId: 'github-1-2-1', port: 8811 }]);
  expect(output).toEqual({ port: 30_080 });
});

describe('data that is not the step’s', () => {
  test.each([undefined, null, 'text', [], {}, { launchId: 'github-1-2-1', port: 0 }])(
    'is refused before the step runs: %j',
    async (event) => {
      let runs = 0;
      const handler = handlerOf(async () => {
        runs += 1;
        return { port: 1 };
      });

      await expect(handler(event)).rejects.toMatchObject({ name: 'TerminalError', code: 'InputInvalid' });
      expect(runs).toBe(0);
    },
  );

  test('is refused by field, without its value', async () => {
    const handler = handlerOf(async () => ({ port: 1 }));

    await expect(handler({ launchId: { token: 'hunter2' }, port: 8811 })).rejects.toThrow(
      'InputInvalid: PollNodePort: ✖ Invalid input: expected string, received object\n  → at launchId',
    );
  });
});

test('a step that gives what it does not promise fails, and nothing is passed on', async () => {
  const handler = handlerOf(async () => ({ port: 0 }));

  await expect(handler({ launchId: 'github-1-2-1', port: 8811 })).rejects.toBeInstanceOf(z.ZodError);
});

test.each([
  new PendingError('NodePortPending', 'no port'),
  new TransientError('ClusterFault', 'HTTP 500'),
  new TerminalError('PodFailed', 'phase Failed'),
  new TypeError('x is undefined'),
])('a $name of the step is thrown on as it is', async (error) => {
  const handler = handlerOf(async () => {
    throw error;
  });

  await expect(handler({ launchId: 'github-1-2-1', port: 8811 })).rejects.toBe(error);
});
