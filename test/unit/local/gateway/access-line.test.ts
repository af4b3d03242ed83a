import { accessLine } from '../../../../local/gateway/access-line.ts';

test('a path that a stranger asks for can neither move the cursor nor begin a line', () => {
  const path = '/x\u001b[2J\n2026-06-01T10:00:00.000Z launch   api-7 connected';

  const line = accessLine({ requestId: '1', method: 'GET', path, status: 404, durationMs: 2, sourceIp: '127.0.0.1' });

  expect(line).toBe('http     GET /x [2J 2026-06-01T10:00:00.000Z launch   api-7 connected → 404 (2 ms)');
});
