import * as z from './zod.ts';

const Text = z.string().check(z.minLength(1));

/** The functions' environment variables. Each function reads only those that it needs. */
const Environment = z.object({
  /** davit.yaml as JSON, checked when the stack was synthesised or the local runtime started. */
  DAVIT_CONFIG_FILE: Text,
  DAVIT_LAUNCHES_TABLE: Text,
  DAVIT_TOKENS_TABLE: Text,
  DAVIT_JOBS_TABLE: Text,
  DAVIT_CLUSTERS_TABLE: Text,
  DAVIT_STATE_MACHINE_ARN: z.string().check(z.startsWith('arn:')),
  DAVIT_CLEAN_UP_FUNCTION: Text,
  DAVIT_REGISTER_RUNNER_FUNCTION: Text,
  DAVIT_RETIRE_RUNNER_FUNCTION: Text,
  DAVIT_REPORT_TO_CI_FUNCTION: Text,
  DAVIT_PUBLISH_EVENTS_FUNCTION: Text,
  DAVIT_ADMIT_FUNCTION: Text,
  DAVIT_PROBE_FUNCTION: Text,
  /** Distinguishes this davit's runners from those of others in the same CI system. */
  DAVIT_INSTALLATION_ID: z.string().check(z.regex(/^[0-9a-f]{8}$/, 'expected 8 of 0-9 and a-f')),
  /** Name or ARN of the EventBridge bus for davit's events. */
  DAVIT_EVENT_BUS: Text,
  /** Name or ARN of the secret that signs agents' credentials. */
  DAVIT_CREDENTIAL_KEY_SECRET: Text,
  /** The API's base URL as Pods reach it, without a slash at the end. */
  DAVIT_PUBLIC_URL: z.url(),
  /** This davit's name in logs and metrics. Powertools reads it. */
  POWERTOOLS_SERVICE_NAME: Text,
});

/** The name of an environment variable that the functions read. */
export type EnvironmentVariable = keyof z.infer<typeof Environment>;

/**
 * Reads one variable of the environment.
 *
 * @throws Error naming the variable, when the function starts, if it is missing or malformed
 */
export function environment(name: EnvironmentVariable): string {
  const parsed = Environment.shape[name].safeParse(process.env[name]);
  if (!parsed.success) throw new Error(`environment variable ${name}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/**
 * Reads the X-Ray trace header of the present request, which Lambda puts into the environment.
 *
 * @returns undefined where nothing is traced
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function traceHeader(): string | undefined {
  return TraceHeader.safeParse(process.env['_X_AMZN_TRACE_ID']).data;
}

/** Longer than any header of Lambda's; the launch's record stores it. */
const TraceHeader = z.string().check(z.minLength(1), z.maxLength(256));

/** Reads the X-Ray daemon's address; undefined if there is no daemon. */
export function traceDaemonAddress(): string | undefined {
  return z.string().check(z.regex(/:\d+$/)).safeParse(process.env['AWS_XRAY_DAEMON_ADDRESS']).data;
}

/** The credentials of the function's role, as Lambda puts them into the environment. */
export interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

const Region = z.object({ AWS_REGION: Text });
const RoleEnvironment = z.object({
  AWS_ACCESS_KEY_ID: Text,
  AWS_SECRET_ACCESS_KEY: Text,
  AWS_SESSION_TOKEN: z.optional(z.string()),
});

/**
 * Reads the present credentials of the function's role.
 *
 * @throws Error naming the variable that is missing
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function roleCredentials(): RoleCredentials {
  const role = lambdaEnvironment(RoleEnvironment);
  const sessionToken = role.AWS_SESSION_TOKEN;
  return {
    accessKeyId: role.AWS_ACCESS_KEY_ID,
    secretAccessKey: role.AWS_SECRET_ACCESS_KEY,
    ...(sessionToken ? { sessionToken } : {}),
  };
}

/** Reads the region that the function runs in. @throws Error as `roleCredentials` */
export function homeRegion(): string {
  return lambdaEnvironment(Region).AWS_REGION;
}

/**
 * Reads the endpoint of an AWS service, if it is not the region's own.
 *
 * @param service the end of its variable's name, as `DYNAMODB`
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export function endpointUrl(service: string): string | undefined {
  return process.env[`AWS_ENDPOINT_URL_${service}`] || process.env['AWS_ENDPOINT_URL'] || undefined;
}

function lambdaEnvironment<Variables extends z.ZodMiniType>(variables: Variables): z.infer<Variables> {
  const read = variables.safeParse(process.env);
  if (!read.success) throw new Error(`Lambda's environment variables: ${z.prettifyError(read.error)}`);
  return read.data;
}
