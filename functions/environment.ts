import * as z from './zod.ts';

/** The functions' environment variables. Each function reads only those that it needs. */
const Environment = z.object({
  /** davit.yaml as JSON, checked when the stack was synthesised or the local runtime started. */
  DAVIT_CONFIG_FILE: z.string().check(z.minLength(1)),
  DAVIT_LAUNCHES_TABLE: z.string().check(z.minLength(1)),
  DAVIT_TOKENS_TABLE: z.string().check(z.minLength(1)),
  DAVIT_JOBS_TABLE: z.string().check(z.minLength(1)),
  DAVIT_STATE_MACHINE_ARN: z.string().check(z.startsWith('arn:')),
  DAVIT_CLEAN_UP_FUNCTION: z.string().check(z.minLength(1)),
  DAVIT_REGISTER_RUNNER_FUNCTION: z.string().check(z.minLength(1)),
  DAVIT_RETIRE_RUNNER_FUNCTION: z.string().check(z.minLength(1)),
  /** Tells this davit's runners from those of others in the same CI system. */
  DAVIT_INSTALLATION_ID: z.string().check(z.regex(/^[0-9a-f]{8}$/, 'expected 8 of 0-9 and a-f')),
  /** Name or ARN of the EventBridge bus for davit's events. */
  DAVIT_EVENT_BUS: z.string().check(z.minLength(1)),
  /** Name or ARN of the secret that signs agents' credentials. */
  DAVIT_CREDENTIAL_KEY_SECRET: z.string().check(z.minLength(1)),
  /** The API's base URL as Pods reach it, without a slash at the end. */
  DAVIT_PUBLIC_URL: z.url(),
  /** This davit's name in logs and metrics. Powertools reads it. */
  POWERTOOLS_SERVICE_NAME: z.string().check(z.minLength(1)),
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

/** Longer than any that Lambda makes; it goes into the launch's record. */
const TraceHeader = z.string().check(z.minLength(1), z.maxLength(256));

/** Reads where the X-Ray daemon listens; undefined where there is none. */
export function traceDaemonAddress(): string | undefined {
  return z.string().check(z.regex(/:\d+$/)).safeParse(process.env['AWS_XRAY_DAEMON_ADDRESS']).data;
}

/** The credentials of the function's role, as Lambda puts them into the environment. */
export interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

const Region = z.object({ AWS_REGION: z.string().check(z.minLength(1)) });
const RoleEnvironment = z.object({
  AWS_ACCESS_KEY_ID: z.string().check(z.minLength(1)),
  AWS_SECRET_ACCESS_KEY: z.string().check(z.minLength(1)),
  AWS_SESSION_TOKEN: z.optional(z.string()),
});

/**
 * Reads the credentials of the function's role, as they are now.
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
 * Reads where a service of AWS is, if it is elsewhere than its region says.
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
