import { listensOn, podAddresses } from '../../../../sandbox/node/pod-addresses.ts';

test('each Pod has its own address where the machine listens on all of 127/8', async () => {
  const tried: string[] = [];
  const addresses = await podAddresses(
    () => 0,
    async (address) => tried.push(address) > 0,
  );

  const given = [addresses.allocate(), addresses.allocate()];
  addresses.release('127.64.0.1');

  expect({ tried, given, again: addresses.allocate() }).toEqual({
    tried: ['127.64.0.1'],
    given: ['127.64.0.1', '127.64.0.2'],
    again: '127.64.0.1',
  });
});

test('all Pods share 127.0.0.1 where the machine refuses to listen on other addresses', async () => {
  const addresses = await podAddresses(
    () => 0,
    async () => false,
  );

  expect([addresses.allocate(), addresses.allocate()]).toEqual(['127.0.0.1', '127.0.0.1']);
});

test('listening tells whether an address can be used', async () => {
  expect(await listensOn('127.0.0.1')).toBe(true);
  // A documentation address, which no machine has. @see https://www.rfc-editor.org/rfc/rfc5737
  expect(await listensOn('192.0.2.1')).toBe(false);
});
