/**
 * Finds the section of a version in a changelog: `## 1.2.3 - 2026-06-01`, or with the version in brackets.
 *
 * @returns what is below its heading; undefined if there is no such section, or nothing in it
 * @see https://keepachangelog.com/en/1.1.0/
 */
export function sectionOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => {
    const [heading = ''] = section.split('\n');
    const [, named] = /^\[?([^\s\]]+)\]?(?: - \d{4}-\d{2}-\d{2})?$/.exec(heading.trim()) ?? [];
    return named === version;
  });
  const text = found?.slice(found.indexOf('\n')).trim();
  return text === undefined || text === '' ? undefined : text;
}
