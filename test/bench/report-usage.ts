/** Preloaded into a process that is measured: sends its parent, at its end, what it has used. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.channel?.unref();
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.send?.({ processorMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 });
  });
}
