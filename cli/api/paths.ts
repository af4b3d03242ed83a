import type { ClusterList, ClusterView } from '../../functions/clusters/cluster-view-schema.ts';
import type { JobQuery } from '../../functions/jobs/job-query.ts';
import type { JobList } from '../../functions/jobs/queued-job-view-schema.ts';
import type { LaunchRequestBody } from '../../functions/launches/launch-request.ts';
import type { EndedLaunchView, LaunchList, LaunchView } from '../../functions/launches/launch-view-schema.ts';
import type { ListQuery } from '../../functions/launches/list-query.ts';
import type { LaunchAnswer } from '../../runtime/http/answers.ts';

/** An answer with a body, or with a problem, of which the client knows nothing more. */
interface Answers<Body> {
  200: { content: { 'application/json': Body } };
  default: { content: { 'application/problem+json': unknown } };
}

/** 202: there is more to do; 200: all is done. */
interface Accepts<Body> extends Answers<Body> {
  202: { content: { 'application/json': Body } };
}

/** Reads that have an `ETag`. */
interface Unless {
  'If-None-Match'?: string;
}

/** A query as a caller writes it: moments are ISO 8601, and nothing has to be there. */
type Asked<Query> = { [Key in keyof Query]?: Key extends 'since' | 'until' | 'cursor' ? string : Query[Key] };

/** The routes of the HTTP API that the CLI and the console call, in the form that openapi-fetch reads. */
export interface paths {
  '/launches': {
    get: { parameters: { query?: Asked<ListQuery>; header?: Unless }; responses: Answers<LaunchList> };
    post: {
      parameters: { header?: { 'Idempotency-Key'?: string } };
      requestBody: { content: { 'application/json': LaunchRequestBody } };
      responses: Accepts<LaunchAnswer>;
    };
  };
  '/launches/{launchId}': {
    get: { parameters: { path: { launchId: string }; header?: Unless }; responses: Answers<LaunchView> };
    delete: { parameters: { path: { launchId: string } }; responses: Accepts<EndedLaunchView> };
  };
  '/jobs': {
    get: { parameters: { query?: Asked<JobQuery>; header?: Unless }; responses: Answers<JobList> };
  };
  '/clusters': { get: { parameters: { header?: Unless }; responses: Answers<ClusterList> } };
  '/clusters/{name}': {
    get: { parameters: { path: { name: string }; header?: Unless }; responses: Answers<ClusterView> };
  };
}
