import * as z from '../zod.ts';

/** A repository, or several: `owner/name`, in which `*` is any text without a slash and `?` any one character but a slash. */
export const RepositoryGlob = z
  .string()
  .check(
    z.maxLength(200),
    z.regex(/^[\w.*?-]+\/[\w.*?-]+$/, 'expected OWNER/NAME, with * and ? for what may be anything'),
  );

/** Says whether the globs match a repository, ignoring case. */
export function isRepositoryOf(globs: readonly string[], { owner, name }: { owner: string; name: string }): boolean {
  return globs.some((glob) => patternOf(glob).test(`${owner}/${name}`));
}

function patternOf(glob: string): RegExp {
  const source = glob.replaceAll('.', '\\.').replaceAll('?', '[^/]').replaceAll(/\*+/g, '[^/]*');
  return new RegExp(`^${source}$`, 'i');
}
