import { LaunchStatus } from '../../core/launch/launch-record.ts';
import type { ProblemSlug } from '../../runtime/http/problems.ts';
import { WaitingStatus } from '../jobs/job-query.ts';
import { type HeaderObject, json, type OperationObject, type ParameterObject, problemResponses } from './operation.ts';
import { ref, type SchemaName } from './schemas.ts';

const iamOrToken = [{ awsSigV4: [] }, { localToken: [] }];

const text: ParameterObject['schema'] = { type: 'string' };

const ifNoneMatch: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier answer: 304 without a body when nothing has changed since.',
  schema: text,
};

const etag: Record<string, HeaderObject> = {
  ETag: {
    description: 'Changes when the answer changes; `forSeconds` and `waitsForSeconds` do not count.',
    schema: { type: 'string', pattern: '^W/"' },
  },
};

const location: Record<string, HeaderObject> = {
  Location: { description: "The launch's path.", schema: { type: 'string', pattern: '^/launches/' } },
};

function pathOf(name: string, description: string): ParameterObject {
  return { name, in: 'path', required: true, description, schema: text };
}

function queryOf(name: string, description: string, schema: ParameterObject['schema'] = text): ParameterObject {
  return { name, in: 'query', description, schema };
}

/** Statuses, with commas between them. */
function statusesOf(description: string, schema: ParameterObject['schema']): ParameterObject {
  return { name: 'status', in: 'query', style: 'form', explode: false, description, schema };
}

function pageOf(what: string): ParameterObject[] {
  const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 } as const;
  return [
    queryOf('limit', `The most ${what} of a page.`, limit),
    queryOf('cursor', 'The `cursor` of the page before, of the same query.'),
    ifNoneMatch,
  ];
}

/** The answers to a caller that may have an earlier one. */
function unlessKnown(description: string, schema: SchemaName, ...slugs: ProblemSlug[]): OperationObject['responses'] {
  return {
    '200': json(description, schema, etag),
    '304': { description: 'Nothing has changed.', headers: etag },
    ...problemResponses(...slugs),
  };
}

const launchId = pathOf('launchId', "The launch's id.");

const listParameters: ParameterObject[] = [
  statusesOf("These statuses, in this order. Without it: all, in the order of a launch's life.", {
    type: 'array',
    items: { enum: [...LaunchStatus.options] },
  }),
  queryOf('since', 'Asked for at this moment or later.', { type: 'string', format: 'date-time' }),
  queryOf('until', 'Asked for at this moment or earlier.', { type: 'string', format: 'date-time' }),
  queryOf('profile', 'Of this profile.'),
  queryOf('cluster', 'In this cluster.'),
  queryOf('repository', 'For a job of this repository, such as `acme/app`, in any case.'),
  ...pageOf('launches'),
];

const jobParameters: ParameterObject[] = [
  statusesOf('`queued`: jobs that wait for an agent. `waiting`: for another job, or an approval.', {
    type: 'array',
    items: { enum: [...WaitingStatus.options] },
    default: ['queued'],
  }),
  queryOf('ciSystem', 'Of the CI system with this name in davit.yaml.'),
  queryOf('profile', 'That this profile takes.'),
  queryOf('repository', 'Of this repository, such as `acme/app`, in any case.'),
  ...pageOf('jobs'),
];

/** Every operation of the HTTP API, by its route: as `routes` has them. */
export const operations: Readonly<Record<string, OperationObject>> = {
  'GET /openapi.json': {
    operationId: 'describeApi',
    summary: 'Describes this API',
    tags: ['description'],
    security: iamOrToken,
    parameters: [ifNoneMatch],
    responses: unlessKnown('This description, in OpenAPI 3.1.', 'ApiDescription'),
  },
  'POST /webhooks/{name}': {
    operationId: 'takeWebhook',
    summary: 'Takes an event of a CI system',
    description:
      'A `queued` job launches an agent, and `completed` ends the launch whose agent ran the job. The signature is checked ' +
      'before anything is parsed.',
    tags: ['webhooks'],
    security: [{ githubSignature: [] }, { giteaSignature: [] }, { standardSignature: [] }],
    parameters: [pathOf('name', "The CI system's name in davit.yaml.")],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            anyOf: [
              ref('StandardEvent'),
              {
                type: 'object',
                description:
                  'A delivery of GitHub or Gitea; one of GitLab, of which davit reads only which job it is about; or a request to poll Jenkins, Buildkite or Forgejo, of which davit reads nothing.',
              },
            ],
          },
        },
      },
    },
    responses: {
      '200': json('A duplicate, a job that began to run, or an event that asks for nothing.', {
        anyOf: [ref('IgnoredAnswer'), ref('LaunchAnswer'), ref('JobAnswer')],
      }),
      '202': json('davit has accepted a launch, is ending one, or polls the CI system.', {
        anyOf: [ref('LaunchAnswer'), ref('JobAnswer'), ref('PollAnswer')],
      }),
      ...problemResponses(
        'body-malformed',
        'request-invalid',
        'signature-refused',
        'ci-system-unknown',
        'webhooks-not-taken',
      ),
    },
  },
  'GET /jobs': {
    operationId: 'listJobs',
    summary: 'Lists the jobs that wait, each with the reason',
    description: 'Oldest first. Only jobs of CI systems in which davit acts.',
    tags: ['jobs'],
    security: iamOrToken,
    parameters: jobParameters,
    responses: unlessKnown('One page.', 'JobList', 'request-invalid'),
  },
  'GET /clusters': {
    operationId: 'listClusters',
    summary: 'Lists the clusters, with the state of their connections',
    tags: ['clusters'],
    security: iamOrToken,
    responses: { '200': json('The clusters of davit.yaml.', 'ClusterList'), ...problemResponses() },
  },
  'GET /clusters/{name}': {
    operationId: 'getCluster',
    summary: 'Shows one cluster, with the last changes of its connection',
    tags: ['clusters'],
    security: iamOrToken,
    parameters: [pathOf('name', "The cluster's name in davit.yaml.")],
    responses: { '200': json('The cluster.', 'ClusterView'), ...problemResponses('cluster-unknown') },
  },
  'POST /agents/{agentName}/connect': {
    operationId: 'connectAgent',
    summary: 'Hands a published token to its agent',
    description:
      'An agent of a profile with `warm` for which no job waits stands by: davit holds its request for up to 20 s, and answers `standing-by`. The header `davit-credential`, if there is one, has the credential that it asks with from then on.',
    tags: ['agents'],
    security: [{ agentCredential: [] }],
    parameters: [
      pathOf('agentName', "The agent's own name."),
      queryOf('as', '`env`: as assignments for a POSIX shell.'),
    ],
    responses: {
      '200': {
        description: 'The token is published, and the agent is registered.',
        content: {
          'application/json': { schema: ref('ConnectAnswer') },
          'text/x-shellscript': { schema: text },
        },
      },
      '202': {
        description:
          'No job waits for the agent: it stands by, and asks again. Only for `Accept: text/x-shellscript; standby=202`. A comment has the credential that it asks with from then on.',
        content: { 'text/x-shellscript': { schema: text } },
      },
      ...problemResponses('credential-refused', 'launch-over', 'token-pending', 'registration-pending', 'standing-by'),
    },
  },
  'POST /launches': {
    operationId: 'requestLaunch',
    summary: 'Launches one agent',
    description: 'The same `jobId`, or without one the same `Idempotency-Key`, is the same launch.',
    tags: ['launches'],
    security: iamOrToken,
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: 'In place of `jobId`, for callers that have none.',
        schema: { type: 'string', minLength: 1, maxLength: 200 },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: ref('LaunchRequest') } } },
    responses: {
      '200': json('The launch was requested before.', 'LaunchAnswer', location),
      '202': json('davit has accepted the launch.', 'LaunchAnswer', location),
      ...problemResponses('body-malformed', 'request-invalid', 'profile-unknown', 'launch-conflict', 'agents-limited'),
    },
  },
  'GET /launches': {
    operationId: 'listLaunches',
    summary: 'Lists launches',
    description:
      'Newest first within each status. An index finds `status`, `since` and `until`. Profile, cluster and repository are ' +
      'compared launch by launch, a thousand a page at most: such a page may be short, or empty, and have a `cursor`.',
    tags: ['launches'],
    security: iamOrToken,
    parameters: listParameters,
    responses: unlessKnown('One page.', 'LaunchList', 'request-invalid'),
  },
  'GET /launches/{launchId}': {
    operationId: 'showLaunch',
    summary: 'Shows one launch',
    tags: ['launches'],
    security: iamOrToken,
    parameters: [launchId, ifNoneMatch],
    responses: unlessKnown('The launch.', 'LaunchView', 'launch-unknown'),
  },
  'DELETE /launches/{launchId}': {
    operationId: 'endLaunch',
    summary: 'Ends one launch, whatever its state',
    description: 'Repeating it is safe.',
    tags: ['launches'],
    security: iamOrToken,
    parameters: [launchId],
    responses: {
      '200': json('The launch is over, and all its objects are gone.', 'EndedLaunchView'),
      '202': json('The launch is being cleaned up.', 'EndedLaunchView'),
      ...problemResponses('launch-unknown'),
    },
  },
};
