import type { LifecycleEvent } from '../../core/events/lifecycle-events.ts';
import type { Metrics } from '../../runtime/metrics/metrics.ts';

/** Counts an event in the metrics of launches. */
export function countEvent(metrics: Metrics, event: LifecycleEvent): void {
  const { launchId, agentName, profile, cluster } = event.detail;
  const ids = { launchId, agentName };
  const where = { profile, cluster };
  switch (event.type) {
    case 'LaunchRequested':
      return metrics.put('LaunchesRequested', 1, where, ids);
    case 'AgentPlaced':
      return undefined;
    case 'AgentConnected':
      metrics.put('TimeToAgent', event.detail.timeToAgentMs, where, ids);
      return metrics.put('Launches', 1, { outcome: 'connected', ...where }, ids);
    case 'JobStarted': {
      const { queuedMs } = event.detail;
      return queuedMs === undefined ? undefined : metrics.put('JobQueueTime', queuedMs, where, ids);
    }
    case 'JobFinished':
    case 'LaunchLeft':
      return undefined;
    case 'LaunchRelaunched':
      return metrics.put('Relaunches', 1, { code: event.detail.code }, { ...ids, ...where });
    case 'LaunchFailed':
    case 'LaunchTerminated': {
      const outcome = event.type === 'LaunchFailed' ? 'failed' : 'terminated';
      const { code, connected } = event.detail;
      if (connected) return metrics.put('AgentsEnded', 1, { outcome }, { ...ids, ...where, code });
      return metrics.put('Launches', 1, { outcome, code, ...where }, ids);
    }
    case 'LaunchCleaned':
      return metrics.put('CleanUpTime', event.detail.cleanUpMs, {}, { ...ids, ...where });
  }
}
