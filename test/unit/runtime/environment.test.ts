import {
  type EnvironmentVariable,
  endpointUrl,
  environment,
  homeRegion,
  roleCredentials,
  traceDaemonAddress,
  traceHeader,
} from '../../../runtime/environment.ts';

const before = process.env;
beforeEach(() => {
  process.env = {};
});
afterEach(() => {
  process.env = before;
});

function setEnvironment(values: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(values)) if (value !== undefined) process.env[name] = value;
}

describe('a variable of the function', () => {
  test.each<[EnvironmentVariable, string]>([
    ['DAVIT_LAUNCHES_TABLE', 'launches'],
    ['DAVIT_STATE_MACHINE_ARN', 'arn:aws:states:eu-central-1:111122223333:stateMachine:launch'],
    ['DAVIT_INSTALLATION_ID', '0a1b2c3d'],
    ['DAVIT_PUBLIC_URL', 'https://davit.example/prod'],
  ])('%s is read', (name, value) => {
    setEnvironment({ [name]: value });

    expect(environment(name)).toBe(value);
  });

  test.each<[EnvironmentVariable, string | undefined, string]>([
    ['DAVIT_LAUNCHES_TABLE', undefined, 'expected a value'],
    ['DAVIT_LAUNCHES_TABLE', '', 'expected a value'],
    ['DAVIT_STATE_MACHINE_ARN', 'launch', 'expected an ARN'],
    ['DAVIT_INSTALLATION_ID', '0a1b2c3d4', 'expected 8 of 0-9 and a-f'],
    ['DAVIT_INSTALLATION_ID', 'z0a1b2c3d', 'expected 8 of 0-9 and a-f'],
    ['DAVIT_PUBLIC_URL', 'davit.example', 'expected a URL'],
  ])('%s that is %j is an error', (name, value, problem) => {
    setEnvironment({ [name]: value });

    expect(() => environment(name)).toThrow(`environment variable ${name}: ${problem}`);
  });
});

describe('the credentials of the role', () => {
  test('are the three that Lambda sets', () => {
    setEnvironment({ AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'key', AWS_SESSION_TOKEN: 'token' });

    expect(roleCredentials()).toEqual({ accessKeyId: 'AKIA', secretAccessKey: 'key', sessionToken: 'token' });
  });

  test.each([undefined, ''])('may have no session token (%j)', (token) => {
    setEnvironment({ AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'key', AWS_SESSION_TOKEN: token });

    expect(roleCredentials()).toEqual({ accessKeyId: 'AKIA', secretAccessKey: 'key' });
  });

  test('name what is missing', () => {
    setEnvironment({ AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: '' });

    expect(() => roleCredentials()).toThrow('environment variable AWS_SECRET_ACCESS_KEY: expected a value');
  });
});

test('the region is the one that the function runs in', () => {
  setEnvironment({ AWS_REGION: 'eu-central-1' });

  expect(homeRegion()).toBe('eu-central-1');
});

describe('the endpoint of a service', () => {
  test('is its own before that of all services', () => {
    setEnvironment({ AWS_ENDPOINT_URL: 'http://all.example', AWS_ENDPOINT_URL_DYNAMODB: 'http://dynamodb.example' });

    expect(endpointUrl('DYNAMODB')).toBe('http://dynamodb.example');
    expect(endpointUrl('SFN')).toBe('http://all.example');
  });

  test("is the region's where none is set", () => {
    setEnvironment({ AWS_ENDPOINT_URL: '' });

    expect(endpointUrl('DYNAMODB')).toBeUndefined();
  });
});

test.each([
  ['_X_AMZN_TRACE_ID', traceHeader, 'Root=1-5f84c7a2', 'Root=1-5f84c7a2'],
  ['_X_AMZN_TRACE_ID', traceHeader, 'x'.repeat(256), 'x'.repeat(256)],
  ['_X_AMZN_TRACE_ID', traceHeader, 'x'.repeat(257), undefined],
  ['_X_AMZN_TRACE_ID', traceHeader, '', undefined],
  ['_X_AMZN_TRACE_ID', traceHeader, undefined, undefined],
  ['AWS_XRAY_DAEMON_ADDRESS', traceDaemonAddress, '169.254.79.129:2000', '169.254.79.129:2000'],
  ['AWS_XRAY_DAEMON_ADDRESS', traceDaemonAddress, '169.254.79.129', undefined],
  ['AWS_XRAY_DAEMON_ADDRESS', traceDaemonAddress, undefined, undefined],
])('of %s, %p reads %j as %j', (name, read, value, expected) => {
  setEnvironment({ [name]: value });

  expect(read()).toBe(expected);
});
