import { readRuntimeArguments } from '../../../../local/runtime/arguments.ts';

test('without arguments the runtime listens on the loopback interface, and keeps its state and config here', () => {
  expect(readRuntimeArguments([])).toEqual({
    listen: { host: '127.0.0.1', port: 8080 },
    config: 'davit.yaml',
    state: '.davit',
    secret: [],
    scope: [],
    cluster: [],
    'in-cluster': false,
    events: false,
  });
});

test('a secret is a name and the file with its value', () => {
  const read = readRuntimeArguments(['--secret', 'davit/gitea-token=a=b.txt', '--secret', 'key=key.pem']);

  expect(read).toMatchObject({
    secret: [
      { name: 'davit/gitea-token', file: 'a=b.txt' },
      { name: 'key', file: 'key.pem' },
    ],
  });
});

test.each(['token.txt', '=token.txt', 'name='])('--secret %s is refused', (secret) => {
  expect(() => readRuntimeArguments(['--secret', secret])).toThrow('--secret: expected NAME=FILE');
});

test('a cluster is a name and a context, which may be the ARN that EKS gives it', () => {
  const arn = 'arn:aws:eks:eu-central-1:111122223333:cluster/a=b';

  expect(readRuntimeArguments(['--cluster', `east=${arn}`, '--cluster', 'west=kind-west'])).toMatchObject({
    cluster: [
      { name: 'east', context: arn },
      { name: 'west', context: 'kind-west' },
    ],
  });
});

test.each(['east', '=kind-east', 'east='])('--cluster %s is refused', (cluster) => {
  expect(() => readRuntimeArguments(['--cluster', cluster])).toThrow('--cluster: expected NAME=CONTEXT');
});

test('--events shows events', () => {
  expect(readRuntimeArguments(['--events'])).toMatchObject({ events: true });
});

test.each([
  ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['[::1]:65535', { host: '::1', port: 65_535 }],
])('--listen %s is an address', (listen, expected) => {
  expect(readRuntimeArguments(['--listen', listen])).toMatchObject({ listen: expected });
});

test.each(['8080', ':8080', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '127.0.0.1:-1', '::1:80', '[x]:80'])(
  '--listen %s is refused',
  (listen) => {
    expect(() => readRuntimeArguments(['--listen', listen])).toThrow(/^--listen: expected /);
  },
);

test('--metrics-listen is an address of its own', () => {
  const read = readRuntimeArguments(['--listen', '0.0.0.0:8080', '--metrics-listen', '[::]:9464']);

  expect(read).toMatchObject({ listen: { port: 8080 }, 'metrics-listen': { host: '::', port: 9464 } });
});

test('both addresses may be at any free port', () => {
  expect(readRuntimeArguments(['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'])).toMatchObject({
    'metrics-listen': { host: '127.0.0.1', port: 0 },
  });
});

test.each([
  ['9464', 'expected HOST:PORT, for example 127.0.0.1:8080'],
  ['127.0.0.1:65536', 'expected a port up to 65535'],
  ['127.0.0.1:metrics', 'expected HOST:PORT, for example 127.0.0.1:8080'],
  ['127.0.0.1:8080', 'expected another port than that of --listen'],
])('--metrics-listen %s is refused', (address, reason) => {
  expect(() => readRuntimeArguments(['--listen', '0.0.0.0:8080', '--metrics-listen', address])).toThrow(
    `--metrics-listen: ${reason}`,
  );
});

test('a public URL loses its trailing slashes, because paths follow it', () => {
  const read = readRuntimeArguments(['--public-url', 'https://davit.example.com/ci//']);

  expect(read).toMatchObject({ 'public-url': 'https://davit.example.com/ci' });
});

test.each(['https://davit.example.com?a=b', 'https://davit.example.com/#a'])('--public-url %s is refused', (url) => {
  expect(() => readRuntimeArguments([`--public-url=${url}`])).toThrow('--public-url: expected a URL without a query');
});

test.each(['davit.example.com', 'ftp://davit.example.com', '/ci', ''])('--public-url %s is refused', (url) => {
  expect(() => readRuntimeArguments([`--public-url=${url}`])).toThrow('--public-url: expected an http or https URL');
});

test('one message names every mistake', () => {
  expect(() => readRuntimeArguments(['--listen', 'x', '--public-url', 'x', '--state='])).toThrow(
    /^--listen: .*\n--public-url: .*\n--state: /,
  );
});

test('help takes precedence over every other option', () => {
  expect(readRuntimeArguments(['--listen', 'x', '--help'])).toBe('help');
});
