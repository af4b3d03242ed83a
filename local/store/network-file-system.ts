import { statfs } from 'node:fs/promises';

/**
 * The network file systems, by the type that Linux's statfs gives them. SQLite's locks and its shared memory do not work
 * there: a second davit could write to the same file, and what davit keeps would be lost.
 *
 * @see https://man7.org/linux/man-pages/man2/statfs.2.html
 * @see https://www.sqlite.org/wal.html#overview
 */
const networkFileSystems: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x51_7b: 'SMB',
  0xfe_53_4d_42: 'SMB2',
  0xff_53_4d_42: 'CIFS',
  0x00_c3_64_00: 'CephFS',
  0x01_02_19_97: '9p',
  0x0b_d0_0b_d0: 'Lustre',
  0x47_50_46_53: 'GPFS',
  0x53_46_41_4f: 'AFS',
  0x6b_41_46_53: 'AFS',
};

/**
 * Refuses a directory on a network file system. What FUSE mounts is not refused: it may be a local disk.
 *
 * @param readType reads the type of a directory's file system, as statfs has it
 * @throws Error naming the directory and its file system
 */
export async function refuseNetworkFileSystem(directory: string, readType = typeOf): Promise<void> {
  const name = networkFileSystems[await readType(directory)];
  if (name === undefined) return;
  throw new Error(
    `${directory} is on a network file system (${name}), on which SQLite loses data: use a local disk or a block volume`,
  );
}

/** The types are Linux's: other systems number their own. */
async function typeOf(directory: string): Promise<number> {
  if (process.platform !== 'linux') return 0;
  return (await statfs(directory)).type;
}
