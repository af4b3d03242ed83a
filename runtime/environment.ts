import type { InvokedFunction } from './function-settings.ts';

/** Checks the value of an environment variable. @returns what is wrong with it, if anything is */
type Check = (value: string) => string | undefined;

/**
 * The functions' environment variables, and what each must be beside not empty. Each function reads only those that it
 * needs. No schema checks them: the first parse of a schema would be a twentieth of a function's start.
 */
const variables = {
  /** davit.yaml as JSON, checked when the stack was synthesised or the local runtime started. */
  DAVIT_CONFIG_FILE: text,
  DAVIT_LAUNCHES_TABLE: text,
  DAVIT_TOKENS_TABLE: text,
  DAVIT_JOBS_TABLE: text,
  DAVIT_CLUSTERS_TABLE: text,
  DAVIT_STATE_MACHINE_ARN: (value) => (value.startsWith('arn:') ? undefined : 'expected an ARN'),
  /** The names in Lambda of the functions that this one invokes, as JSON: `{"clean-up":"Davit-CleanUp"}`. */
  DAVIT_FUNCTIONS: text,
  /** Distinguishes this davit's runners from those of others in the same CI system. */
  DAVIT_INSTALLATION_ID: (value) => (/^[0-9a-f]{8}$/.test(value) ? undefined : 'expected 8 of 0-9 and a-f'),
  /** Name or ARN of the EventBridge bus for davit's events. */
  DAVIT_EVENT_BUS: text,
  /** Name or ARN of the secret that signs agents' credentials. */
  DAVIT_CREDENTIAL_KEY_SECRET: text,
  /** The API's base URL as Pods reach it, without a slash at the end. */
  DAVIT_PUBLIC_URL: (value) => (URL.canParse(value) ? undefined : 'expected a URL'),
  /** This davit's name in logs and metrics. Powertools reads it. */
  POWERTOOLS_SERVICE_NAME: text,
} satisfies Record<string, Check>;

function text(): undefined {
  return undefined;
}

/** The name of an environment variable that the functions read. */
export type EnvironmentVariable = keyof typeof variables;

/** Says whether a text is the name of such a variable. */
export function isEnvironmentVariable(name: string): name is EnvironmentVariable {
  return Object.hasOwn(variables, name);
}

/**
 * Reads one variable of the environment.
 *
 * @throws Error naming the variable, when the function starts, if it is missing or malformed
 */
export function environment(name: EnvironmentVariable): string {
  const value = required(name);
  const problem = variables[name](value);
  if (problem !== undefined) throw new Error(`environment variable ${name}: ${problem}`);
  return value;
}

/**
 * Reads the names in Lambda of functions that this one invokes.
 *
 * @throws Error naming the function, when this one starts, if it is not there
 */
export function namesInLambda<Name extends InvokedFunction>(functions: readonly Name[]): Record<Name, string> {
  const names: Record<Name, string> = JSON.parse(environment('DAVIT_FUNCTIONS'));
  const missing = functions.find((name) => names[name] === undefined);
  if (missing !== undefined) throw new Error(`environment variable DAVIT_FUNCTIONS: expected the name of ${missing}`);
  return names;
}

/** @throws Error naming the variable that is missing or empty */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`environment variable ${name}: expected a value`);
  return value;
}

/**
 * Reads the X-Ray trace header of the present request, which Lambda puts into the environment.
 *
 * @returns undefined for a request without a trace
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function traceHeader(): string | undefined {
  const header = process.env['_X_AMZN_TRACE_ID'];
  return header !== undefined && header !== '' && header.length <= maxTraceHeaderLength ? header : undefined;
}

/** Longer than any header of Lambda's; the launch's record stores it. */
const maxTraceHeaderLength = 256;

/** Reads the X-Ray daemon's address; undefined if there is no daemon. */
export function traceDaemonAddress(): string | undefined {
  const address = process.env['AWS_XRAY_DAEMON_ADDRESS'] ?? '';
  return /:\d+$/.test(address) ? address : undefined;
}

/** The credentials of the function's role, as Lambda puts them into the environment. */
export interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * Reads the present credentials of the function's role.
 *
 * @throws Error naming the variable that is missing
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function roleCredentials(): RoleCredentials {
  const sessionToken = process.env['AWS_SESSION_TOKEN'];
  return {
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken ? { sessionToken } : {}),
  };
}

/** Reads the region that the function runs in. @throws Error as `roleCredentials` */
export function homeRegion(): string {
  return required('AWS_REGION');
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
