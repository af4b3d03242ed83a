import { createHmac } from 'node:crypto';
import { webhookSecret } from './github-events.ts';
import type { EventOptions } from './http-event.ts';

/** Overrides for a test's Gitea job. */
export interface GiteaJobChanges {
  action: 'waiting' | 'queued' | 'in_progress' | 'completed';
  attempt: number;
  labels?: readonly string[] | null;
  conclusion?: string;
  runner?: { id: number; name: string };
}

/** Makes a `workflow_job` payload as Gitea 1.26 sends it, with only the fields that davit reads. */
export function giteaJob({ action, attempt, labels = ['linux'], conclusion, runner }: GiteaJobChanges) {
  return {
    action,
    workflow_job: {
      id: 7,
      url: 'http://gitea.example:3000/api/v1/repos/acme/app/actions/jobs/7',
      html_url: 'http://gitea.example:3000/acme/app/actions/runs/3/jobs/7',
      run_id: 3,
      run_url: 'http://gitea.example:3000/api/v1/repos/acme/app/actions/runs/3',
      name: 'build',
      labels,
      run_attempt: attempt,
      head_sha: '4ab3a1a0d5f8d1a5b1c2d3e4f5061728394a5b6c',
      head_branch: 'main',
      status: action === 'waiting' ? 'waiting' : action,
      ...(conclusion === undefined ? {} : { conclusion }),
      ...(runner === undefined ? {} : { runner_id: runner.id, runner_name: runner.name }),
      steps: [],
      created_at: '2026-06-01T09:59:58Z',
      started_at: runner === undefined ? '1970-01-01T00:00:00Z' : '2026-06-01T10:00:00Z',
      completed_at: action === 'completed' ? '2026-06-01T10:01:00Z' : '1970-01-01T00:00:00Z',
    },
    organization: { id: 2, name: 'acme', full_name: '', avatar_url: '', visibility: 'public', username: 'acme' },
    repository: { id: 5, owner: { id: 2, login: 'acme', username: 'acme' }, name: 'app', full_name: 'acme/app' },
    sender: { id: 1, login: 'root', username: 'root' },
  };
}

/**
 * Makes the request with which Gitea delivers a payload. It carries Gitea's own headers and the same headers under
 * GitHub's names.
 */
export function giteaDelivery(payload: object, headers: Record<string, string | undefined> = {}): EventOptions {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
  const all = {
    'content-type': 'application/json',
    'x-gitea-event': 'workflow_job',
    'x-gitea-signature': signature,
    'x-github-event': 'workflow_job',
    'x-hub-signature-256': `sha256=${signature}`,
    ...headers,
  };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return {
    method: 'POST',
    path: '/webhooks/gitea',
    parameters: { name: 'gitea' },
    headers: Object.fromEntries(given),
    body,
  };
}
