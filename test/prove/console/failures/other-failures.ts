import type { ErrorCode } from '../../../../core/errors/error-codes.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { endingOf, joinedPlanOf, planOf, recordOf, signalOf } from '../../../contract/launch-fixtures.ts';
import { placed } from '../records.ts';
import { type ShownFailure, told } from './shown-failure.ts';

const minuteMs = 60_000;
const nowEpochMs = Date.parse('2026-01-01T01:00:00Z');
const beganEpochMs = nowEpochMs - 12 * minuteMs;

/** What davit itself, its tables, AWS and the CI systems make a launch fail with, in the words that the code writes. */
const endings: Partial<Record<ErrorCode, string>> = {
  PublishDeadlineExceeded:
    'PublishToken gave up after 60 s of 60 s; at last: DynamoDB PutItem: ProvisionedThroughputExceededException',
  TokenConflict: 'published is 10.20.3.7:31412, the cluster says 10.20.3.9:30077',
  SecretMissing: 'secret davit-kubeconfig-east: ResourceNotFoundException: Secrets Manager can not find it',
  KubeconfigInvalid: 'secret davit-kubeconfig-east is no kubeconfig: contexts: expected a list, found nothing',
  ProfileUnknown: 'no profile linux',
  EksAccessDenied:
    'arn:aws:iam::111122223333:role/Davit-CreateService may not call eks:DescribeCluster on builds (AccessDeniedException)',
  EksClusterMissing: 'EKS has no cluster builds in eu-central-1 (ResourceNotFoundException)',
  ClusterAway:
    'not launched again: it has used all of its clusters; at last: cluster sandbox has been away for 312 s: connect ETIMEDOUT 10.20.0.1:6443',
  ClusterFull:
    'not launched again: it has used all of its clusters; at last: cluster sandbox has had no room for 600 s: QuotaExceeded: exceeded quota: agents, requested: pods=1, used: pods=100, limited: pods=100',
  ClusterRefused:
    'not launched again: it has used all of its clusters; at last: cluster sandbox refuses the launch: AdmissionDenied: pods "x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
  CiRefused: 'github: POST /orgs/acme/actions/runners/generate-jitconfig: 403 Resource not accessible by integration',
  InputInvalid: 'CleanUp: there is no such launch',
  ExecutionEnded: 'the execution ended as ABORTED',
  LaunchExpired: 'the launch was under way for 5400 s, longer than all of its deadlines',
  Unexpected: "TypeError: Cannot read properties of undefined (reading 'spec')",
};

/** The trouble that holds a launch up, or an agent that is connected, beside what its cluster says of its Pod. */
const waits: Partial<Record<ErrorCode, string>> = {
  CiUnavailable: 'gitea: POST /api/v1/orgs/acme/actions/runners/registration-token: connect ECONNREFUSED 10.1.0.4:3000',
  CiRefused:
    'gitea: POST /api/v1/orgs/acme/actions/runners/registration-token: 403 token does not have write:organization',
  SecretMissing: 'secret davit-gitea-token: it has no value; give it with --secret davit-gitea-token=FILE',
  ClusterThrottled: 'get pods at https://127.0.0.1:1: HTTP 429: slow down; Retry-After: 30 s',
  ClusterFault: 'get pods at https://127.0.0.1:1: HTTP 500: Internal error occurred: etcdserver: leader changed',
  AdmissionUnavailable:
    'create pods at https://127.0.0.1:1: HTTP 500: Internal error occurred: failed calling webhook "policy.example.com": connection refused',
};

/** Returns a record for each code that no cluster causes, and for those of agents that had connected. */
export function otherFailures(): ShownFailure[] {
  const records: [caption: string, LaunchRecord][] = [
    ...Object.entries(endings).map(([code, said]): [string, LaunchRecord] => [code, failed(code, said)]),
    ...Object.entries(waits).map(([code, said]): [string, LaunchRecord] => [
      `${code}: davit waits`,
      waiting(code, said),
    ]),
    ['AgentExited: davit waits', exited()],
    ['AgentExited', { ...failed('AgentExited', exitWords, 'the agent exited'), ...connected, diagnostics: exitLog }],
    ['AgentLifetimeExceeded', { ...failed('AgentLifetimeExceeded', lifetime, 'the sweep'), ...connected }],
    ['RemovalPending: davit waits', removing()],
    ['launched again, after NodeLost', launchedAgain()],
  ];
  return records.map(([caption, record], index) => ({
    sheet: 'others',
    caption,
    record: told(record, 100 + index, nowEpochMs),
  }));
}

const lifetime = 'the agent was connected for 86460 s of 86400 s';
const exitWords = "the agent's Pod has ended: phase Failed; container agent terminated with exit code 137";
const connected = { connectedAtEpochMs: beganEpochMs + 20_000 };
const exitLog = {
  atEpochMs: nowEpochMs,
  events: [],
  unread: [],
  log: { container: 'agent', text: 'runner 2.330.0\nRunning job: lint\nKilled\n' },
};

function started(index: string, changes: Partial<LaunchRecord> = {}): LaunchRecord {
  const launchId = `github-2-${index}-1`;
  const times = { requestedAtEpochMs: beganEpochMs, startedAtEpochMs: beganEpochMs };
  const { requestedAtEpochMs } = times;
  return recordOf(launchId, { plan: planOf(launchId, times), requestedAtEpochMs, timeline: placed, ...changes });
}

function failed(code: string, said: string, by = 'the state machine'): LaunchRecord {
  const atEpochMs = nowEpochMs - minuteMs;
  const record = started(code);
  const message = `${code}: ${said} (launch ${record.launchId}, cluster sandbox, namespace davit-agents)`;
  const ending = endingOf({ code, message, by, atEpochMs });
  return { ...record, status: 'failed', ending, cleanedAtEpochMs: atEpochMs + 1200 };
}

function waiting(code: string, detail: string): LaunchRecord {
  const signal = signalOf({ code, detail, sinceEpochMs: nowEpochMs - 4 * minuteMs });
  const launchId = `github-2-waits-${code}-1`;
  const requestedAtEpochMs = nowEpochMs - 5 * minuteMs;
  const plan = joinedPlanOf(launchId, { requestedAtEpochMs, startedAtEpochMs: requestedAtEpochMs });
  return recordOf(launchId, { plan, requestedAtEpochMs, timeline: placed, signal });
}

function exited(): LaunchRecord {
  const signal = signalOf({ code: 'AgentExited', detail: exitWords, sinceEpochMs: nowEpochMs - 40_000 });
  return started('exited', { status: 'connected', ...connected, signal });
}

function removing(): LaunchRecord {
  const message = 'its job is over';
  const atEpochMs = nowEpochMs - 9 * minuteMs;
  const ending = endingOf({ outcome: 'terminated', code: 'Terminated', message, by: 'github', atEpochMs });
  return started('removing', { status: 'cleaning', ...connected, ending, cleanUpAskedAtEpochMs: atEpochMs + 60_000 });
}

function launchedAgain(): LaunchRecord {
  const record = started('again');
  const message =
    'NodeLost: DisruptionTarget DeletionByTaintManager: Taint manager: deleting due to NoExecute taint (launch github-2-again-1, cluster sandbox, namespace davit-agents, pod davit-github-2-again-1, node sandbox-node)';
  const endedAtEpochMs = nowEpochMs - 30_000;
  const lost = { agentName: 'davit-github-2-again-1', cluster: 'sandbox', code: 'NodeLost', message, endedAtEpochMs };
  const plan = record.plan && { ...record.plan, agentName: 'davit-github-2-again-1-r2', generation: 2 };
  return { ...record, ...(plan && { plan }), generations: [lost], timeline: {} };
}
