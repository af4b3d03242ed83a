import { processorMs, processorMsIn } from '../../prove/cluster/nodes/processor-time.ts';

test('user and system time are read whatever the command is called', () => {
  const stat =
    '42 (a) 1 (b c) S 1 42 42 0 -1 4194560 2500 0 0 0 123 45 7 8 20 0 11 0 3141 9813264 16761 18446744073709';

  expect(processorMsIn(stat)).toBe(1680);
});

test('a process that does not exist has used nothing', async () => {
  const aboveAnyPid = 2 ** 30;

  expect(await processorMs(aboveAnyPid)).toBe(0);
});
