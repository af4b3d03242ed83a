import { tmpdir } from 'node:os';
import { refuseNetworkFileSystem } from '../../../../local/store/network-file-system.ts';

// The numbers of statfs(2).
test.each([
  ['NFS', 0x6969],
  ['SMB', 0x517b],
  ['SMB2', 0xfe534d42],
  ['CIFS', 0xff534d42],
  ['CephFS', 0xc36400],
  ['9p', 0x01021997],
])('a state directory on %s is refused', async (name, type) => {
  await expect(refuseNetworkFileSystem('/data/.davit', async () => type)).rejects.toThrow(
    `/data/.davit is on a network file system (${name}), on which SQLite loses data: use a local disk or a block volume`,
  );
});

test.each([
  ['ext4', 0xef53],
  ['xfs', 0x58465342],
  ['btrfs', 0x9123683e],
  ['overlayfs', 0x794c7630],
  ['tmpfs', 0x01021994],
  ['FUSE', 0x65735546],
])('a state directory on %s is accepted', async (_name, type) => {
  await refuseNetworkFileSystem('/data/.davit', async () => type);
});

test("this machine's temporary files are on no network file system", async () => {
  await refuseNetworkFileSystem(tmpdir());
});
