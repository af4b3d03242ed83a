import { commonKeys, pollSeconds, urlLike } from '../../core/ci/ci-system-keys.ts';
import { SecretId } from '../../core/config/secret-id.ts';
import * as z from '../../core/zod.ts';

/** GitLab's own server. */
export const publicGitlabUrl = 'https://gitlab.com';

const segment = '[A-Za-z0-9_][\\w.-]*';
const GroupPath = z
  .string()
  .check(
    z.regex(new RegExp(`^${segment}(/${segment})*$`), "expected a group's path, as in its URL: acme or acme/tools"),
  );
const ProjectPath = z
  .string()
  .check(z.regex(new RegExp(`^${segment}(/${segment})+$`), "expected a project's path, as in its URL: acme/app"));

/** A group or a project of a GitLab, in davit.yaml. */
export const GitlabConfig = z
  .strictObject({
    ...commonKeys,
    webhookSecret: z.described(
      SecretId,
      "Name or ARN of the secret that GitLab's webhooks have as their secret token, or as their signing token",
    ),
    provider: z.literal('gitlab'),
    url: z.described(
      z.withDefault(urlLike('https://gitlab.example.com'), publicGitlabUrl),
      "The system's URL as people open it: its external_url, without the slash at the end",
    ),
    group: z.described(
      z.exactOptional(GroupPath),
      'The path of the group whose jobs davit takes, with those of its subgroups: acme. Or `project`',
    ),
    project: z.described(
      z.exactOptional(ProjectPath),
      'The path of the only project whose jobs davit takes: acme/app. Or `group`',
    ),
    tokenSecret: z.described(
      SecretId,
      "Name or ARN of the secret that holds the group's, the project's or a user's access token, with the scopes create_runner, manage_runner and read_api",
    ),
    pollSeconds: z.described(
      pollSeconds(15),
      'The pause between two polls, in seconds. A poll finds what no webhook told, and makes a request for each project',
    ),
    settleSeconds: z.described(
      z.withDefault(z.int().check(z.gte(1), z.lte(60)), 60),
      'For how long GitLab may hand a job to a runner that is paused, in seconds: davit removes no runner before. Lower it only if no request to this GitLab takes that long',
    ),
  })
  .check(
    z.refine(({ group, project }) => (group === undefined) !== (project === undefined), {
      path: ['group'],
      error: 'expected either group or project: runners are registered in one of them',
    }),
  );
