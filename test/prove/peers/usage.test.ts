import { peakKibibytesIn } from './usage.ts';

test('reads the peak of the resident memory from /proc', () => {
  expect(peakKibibytesIn('VmSize:\t  900000 kB\nVmHWM:\t  102400 kB\nVmRSS:\t   51200 kB\n')).toBe(102_400);
});

test('reads 0 for a process that has ended', () => {
  expect(peakKibibytesIn('')).toBe(0);
});
