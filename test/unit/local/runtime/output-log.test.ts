import { writingTo } from '../../../../local/runtime/function-output.ts';
import { openOutputLog } from '../../../../local/runtime/output-log.ts';

test("a function's lines are in the log, but not its metrics", () => {
  const written: string[] = [];
  const log = openOutputLog((lines) => written.push(lines));

  log.write('sweep', '{"message":"done"}\n{"_aws":{"CloudWatchMetrics":[]},"Leaks":0}\n{"message":"next"}\n');
  log.write('sweep', '{"_zero":{"CloudWatchMetrics":[]},"Leaks":0}\n');

  expect(written).toEqual(['{"message":"done"}\n{"message":"next"}\n']);
});

test("the log is no function's output, even if it goes to the same stream", () => {
  const written: string[] = [];
  const original = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const log = openOutputLog((lines) => process.stdout.write(lines));

  writingTo(
    (text) => log.write('sweep', text),
    () => process.stdout.write('once\n'),
  );

  original.mockRestore();
  expect(written).toEqual(['once\n']);
});
