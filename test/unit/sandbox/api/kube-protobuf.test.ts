import { readKubeProtobuf } from '../../../../sandbox/api/kube-protobuf.ts';
import { startTestApi } from './start-test-api.ts';

/** Encodes a field of fewer than 128 bytes, or a number below 128. */
const field = (number: number, value: string | Buffer | number): Buffer =>
  typeof value === 'number'
    ? Buffer.from([number << 3, value])
    : Buffer.concat([Buffer.from([(number << 3) | 2, Buffer.byteLength(value)]), Buffer.from(value)]);

const all = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

const enveloped = (apiVersion: string, kind: string, object: Buffer): Buffer =>
  all(Buffer.from('k8s\0'), field(1, all(field(1, apiVersion), field(2, kind))), field(2, object));

describe('an object in protobuf', () => {
  test('is read as its JSON', () => {
    const targetPort = all(field(1, 1), field(2, 0), field(3, 'http'));
    const port = all(field(1, ''), field(2, 'TCP'), field(3, 80), field(4, targetPort), field(5, 0));
    const selector = all(field(1, 'app'), field(2, 'a'));
    const spec = all(field(1, port), field(2, selector), field(4, 'NodePort'));
    const metadata = all(field(1, 'a'), field(2, ''), field(14, 'x/y'), field(14, 'x/z'));

    const object = readKubeProtobuf(enveloped('v1', 'Service', all(field(1, metadata), field(2, spec))));

    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a', finalizers: ['x/y', 'x/z'] },
      spec: {
        type: 'NodePort',
        selector: { app: 'a' },
        ports: [{ protocol: 'TCP', port: 80, targetPort: 'http', nodePort: 0 }],
      },
    });
  });

  test('creates a Namespace over the wire', async () => {
    await using api = await startTestApi();

    const answer = await api.send({
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: enveloped('v1', 'Namespace', field(1, field(1, 'team'))).toString('latin1'),
    });

    expect(answer).toMatchObject({ code: 201, body: { kind: 'Namespace', metadata: { name: 'team' } } });
  });

  test.each([
    ['without its prefix', Buffer.from('{}')],
    ['of an unsupported kind', enveloped('v1', 'Pod', Buffer.alloc(0))],
    ['that is truncated', enveloped('v1', 'Namespace', field(1, field(1, 'team'))).subarray(0, -2)],
    ['that ends within a number', Buffer.from('k8s\0\u0080', 'latin1')],
    ['with a field of another wire type', Buffer.from('k8s\0\u000d\u0001', 'latin1')],
  ])('%s is a bad request', (_, body) => {
    expect(() => readKubeProtobuf(body)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 400 }) }),
    );
  });
});
