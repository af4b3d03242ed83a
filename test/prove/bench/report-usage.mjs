/**
 * Preloaded into a measured process: at its end, sends its resource usage to the parent. It is JavaScript, so that the
 * process need not load what strips types.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.channel?.unref();
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.send?.({ processorMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 });
  });
}
