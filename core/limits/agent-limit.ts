import { RepositoryGlob } from '../ci/repository-glob.ts';
import * as z from '../zod.ts';

/** The largest number of agents of one limit. davit reads all slots of a limit at once. */
export const mostAgentsOfLimit = 10_000;

/** How many agents there may be at once. */
export const MaxAgents = z.int().check(z.gte(1), z.lte(mostAgentsOfLimit));

const OrganizationGlob = z
  .string()
  .check(z.maxLength(100), z.regex(/^[\w.*?-]+$/, 'expected a name, with * and ? for what may be anything'));

const isOneKind = 'expected either organizations or repositories';

/** How many agents each organization, or each repository, may have at once. */
export const AgentLimit = z.pipe(
  z
    .strictObject({
      organizations: z.described(
        z.optional(z.array(OrganizationGlob).check(z.minLength(1))),
        'The owners of repositories, such as acme or *. Each has a limit of its own',
      ),
      repositories: z.described(
        z.optional(z.array(RepositoryGlob).check(z.minLength(1))),
        'The repositories, such as acme/app or acme/*. Each has a limit of its own',
      ),
      maxAgents: z.described(MaxAgents, 'How many agents there may be at once for the jobs of each'),
    })
    .check(z.meta({ oneOf: [{ required: ['organizations'] }, { required: ['repositories'] }] })),
  z.transform((input, context): OrganizationLimit | RepositoryLimit => {
    const { organizations, repositories, maxAgents } = input;
    if (organizations !== undefined && repositories === undefined) return { organizations, maxAgents };
    if (repositories !== undefined && organizations === undefined) return { repositories, maxAgents };
    const message = repositories === undefined ? isOneKind : `${isOneKind}, and not both`;
    context.issues.push({ code: 'custom', message, input });
    return z.NEVER;
  }),
);
export type AgentLimit = z.infer<typeof AgentLimit>;

/** A limit of each owner that matches. */
export interface OrganizationLimit {
  organizations: string[];
  maxAgents: number;
}

/** A limit of each repository that matches. */
export interface RepositoryLimit {
  repositories: string[];
  maxAgents: number;
}
