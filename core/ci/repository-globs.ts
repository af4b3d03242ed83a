/** Says whether the globs match a repository, ignoring case. */
export function isRepositoryOf(globs: readonly string[], { owner, name }: { owner: string; name: string }): boolean {
  return globs.some((glob) => patternOf(glob).test(`${owner}/${name}`));
}

function patternOf(glob: string): RegExp {
  const source = glob.replaceAll('.', '\\.').replaceAll('?', '[^/]').replaceAll(/\*+/g, '[^/]*');
  return new RegExp(`^${source}$`, 'i');
}
