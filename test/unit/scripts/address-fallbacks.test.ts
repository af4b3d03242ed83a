import { findAddressFallbacks } from '../../../scripts/checks/address-fallbacks.ts';
import { addressNamesIn } from '../../../scripts/checks/no-fallback-check.ts';

function saysOf(source: string, path = 'functions/publish-token/publish-token.ts'): string[] {
  const names = addressNamesIn(path);
  return findAddressFallbacks(source, (name) => names?.test(name) === true).map(({ says }) => says);
}

describe('a made-up address is found', () => {
  test.each([
    ['const token = { port: service.nodePort ?? agentPort };', 'port falls back by ??'],
    ['send(pod.status?.hostIP || node.address);', 'hostIP falls back by ||'],
    ['dial(Number(token.port) || agentPort);', 'port falls back by ||'],
    ['dial((await nodePortOf(service))! ?? agentPort);', 'nodePortOf falls back by ??'],
    ["dial(process.env['AGENT_PORT'] ?? given);", 'AGENT_PORT falls back by ??'],
    ['token.port ??= agentPort;', 'port falls back by ??'],
    ['token.host ||= name;', 'host falls back by ||'],
    ['const host = read(pod) ?? name;', 'host falls back by ??'],
    ['const port = 0;', 'port is a literal'],
    ["const token = { 'host': '' };", 'host is a literal'],
    ['const token = { host: `localhost` };', 'host is a literal'],
    ['token.port = known ? seen : 8080;', 'port is a literal'],
    ['const token = { port: (0 as number) };', 'port is a literal'],
    ['function complete(port = 8080) {}', 'port has a default'],
    ['const { nodePort = agentPort } = service;', 'nodePort has a default'],
    ['const complete = ({ port: dialled = 1 }) => dialled;', 'port has a default'],
    ['class Token { port = 8080 }', 'port is a literal'],
    ['class Token { #host = "a" }', 'host is a literal'],
    ['const Token = z.object({ port: z.int().default(8080).describe("…") });', 'port has a default'],
    ['const Token = z.object({ host: z.string().catch("a") });', 'host has a default'],
    ['const port = z.int().prefault(1);', 'port has a default'],
  ])('%s', (source, says) => {
    const found = saysOf(source);

    expect(found).toContain(says);
  });

  test('on its own line, in any layout and after multi-byte letters', () => {
    const source = '// "ü"\nconst token = {\n  port: service\n    .port // as it was\n    ?? agentPort,\n};\n';

    const found = findAddressFallbacks(source, (name) => name === 'port');

    expect(found).toEqual([{ line: 3, says: 'port falls back by ??' }]);
  });
});

describe('a real address is accepted', () => {
  test.each([
    ['const port = nodePortOf(seen, input.agentPort);'],
    ["const token = { port: input.expose === 'nodePort' ? input.nodePort.port : input.agentPort };"],
    ['const host = Host.safeParse(reported).data;'],
    ["const isOpen = host === '0.0.0.0' || host === '::';"],
    ['const port = z.int().min(1).max(65_535);'],
    ['const support = report ?? transport;'],
    ["const says = '// port ?? 0';"],
    ['// const port = token.port ?? 0'],
    ['const { host, port } = token;'],
  ])('%s', (source) => {
    const found = saysOf(source);

    expect(found).toEqual([]);
  });
});

describe('the meaning of a name depends on the file', () => {
  test('a server of the local runtime may listen on any free port', () => {
    const found = saysOf('listen(options.port ?? 0);', 'local/gateway/gateway-server.ts');

    expect(found).toEqual([]);
  });

  test("no other file of the local runtime may make up an agent's port", () => {
    const found = saysOf('dial(service.nodePort ?? 0);', 'local/gateway/gateway-server.ts');

    expect(found).toEqual(['nodePort falls back by ??']);
  });

  test.each(['local/agent/agent.ts', 'local/demo/ci-server.ts'])("%s follows the functions' rule", (path) => {
    const found = saysOf('dial(token.port ?? 8811);', path);

    expect(found).toEqual(['port falls back by ??']);
  });

  test('the sandbox cluster, which allocates addresses, is not checked', () => {
    const names = addressNamesIn('sandbox/store/service-allocator.ts');

    expect(names).toBeUndefined();
  });
});
