import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { rootFolder } from '../../cdk/bundling.ts';
import type { Check } from './check.ts';

const LockedPackage = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  inBundle: z.boolean().default(false),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** The part of `package-lock.json` that the check reads. */
export const LockFile = z.object({ packages: z.record(z.string(), LockedPackage) });
export type LockFile = z.infer<typeof LockFile>;

const publicRegistry = 'https://registry.npmjs.org/';

/**
 * Finds what makes a lock file unsafe or incomplete on another machine: a package without an integrity hash, a package
 * from another host than the public registry, and a platform's package that npm has left out.
 *
 * @returns one line for each problem
 */
export function lockFileProblems({ packages }: LockFile): string[] {
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.entries(packages).flatMap(
    ([path, { version, resolved, integrity, inBundle, optionalDependencies }]) => {
      const problems: string[] = [];
      const name = `${path === '' ? 'the project' : path} ${version ?? ''}`.trim();
      // A bundled package comes in its parent's archive, whose hash covers it.
      if (path !== '' && !inBundle && integrity === undefined) problems.push(`${name} has no integrity`);
      if (resolved !== undefined && !resolved.startsWith(publicRegistry)) problems.push(`${name} is from ${resolved}`);
      const absent = Object.keys(optionalDependencies).filter((dependency) => !locked.has(dependency));
      return [...problems, ...absent.map((dependency) => `${name} needs ${dependency}, which is not locked`)];
    },
  );
}

/** Every package that `npm ci` installs, on any platform, is the one that was locked. */
export const lockFileCheck: Check = {
  name: 'package-lock.json',
  findings: async () => {
    const text = await readFile(join(rootFolder, 'package-lock.json'), 'utf8');
    return lockFileProblems(LockFile.parse(JSON.parse(text)));
  },
};
