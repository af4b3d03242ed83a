import { readSimulateArguments } from '../../../simulation/arguments.ts';

test.each([
  [['--seeds', 'abc'], '--seeds: expected a whole number from 1 on, got abc'],
  [['--jobs', '-1'], '--jobs'],
  [['--faults', 'x=1'], '--faults: there is no kind of fault called x'],
  [['--faults', 'nodeLost=7'], '--faults: nodeLost: expected how often, from 0 to 1, got 7'],
  [['--ci', 'foo'], '--ci: there is no kind of CI system called foo'],
  [['--sedd', '4'], '--sedd'],
])('%j is refused by its name', (args, words) => {
  expect(() => readSimulateArguments(args)).toThrow(words);
});
