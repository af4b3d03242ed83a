import { buildkite } from './buildkite.ts';
import type { CiSystemKind } from './ci-system.ts';
import { forgejo } from './forgejo.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { jenkins } from './jenkins.ts';

/** The kinds of CI systems whose fake runs in this process. Gitea has the measure `queue`, with a real one. */
export const ciSystemKinds: readonly CiSystemKind[] = [github, jenkins, buildkite, gitlab, forgejo];
