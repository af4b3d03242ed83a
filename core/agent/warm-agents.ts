import { CiSystemName } from '../ci/ci-system-keys.ts';
import { MaxAgents, mostAgentsOfLimit } from '../limits/agent-limit.ts';
import * as z from '../zod.ts';
import { isWithin, WeeklySchedule } from './weekly-schedule.ts';

const WarmCount = z.int().check(z.gte(0), z.lte(mostAgentsOfLimit));

const Owner = z.string().check(z.maxLength(100), z.regex(/^[\w.-]+$/, 'expected the name of one organization'));

const Repository = z
  .string()
  .check(z.maxLength(200), z.regex(/^[\w.-]+\/[\w.-]+$/, 'expected OWNER/NAME of one repository'));

/** The idle agents that davit keeps for a profile before there are jobs. */
export const WarmAgents = z.strictObject({
  agents: z.described(WarmCount, 'How many idle agents davit keeps in each organization or repository'),
  ciSystem: z.described(
    z.exactOptional(CiSystemName),
    'The CI system of the agents. Default: the only one of the kind of the runner in which davit acts',
  ),
  organizations: z.described(
    z.exactOptional(z.array(Owner).check(z.minLength(1))),
    'The organizations that get warm agents, with scope: organization',
  ),
  repositories: z.described(
    z.exactOptional(z.array(Repository).check(z.minLength(1))),
    'The repositories that get warm agents, with scope: repository',
  ),
  schedules: z.described(
    z.exactOptional(
      z
        .array(
          z.extend(WeeklySchedule, {
            agents: z.described(WarmCount, 'How many idle agents davit keeps in these hours'),
          }),
        )
        .check(z.minLength(1)),
    ),
    'Hours with another number of agents. The first schedule that applies counts',
  ),
  burst: z.described(
    z.exactOptional(z.strictObject({ perRunning: z.described(MaxAgents, 'One more agent for so many that run jobs') })),
    'More idle agents while many run jobs',
  ),
});
export type WarmAgents = z.infer<typeof WarmAgents>;

/**
 * Says how many idle agents there should be in one organization or repository. `wishesOf` asks for fewer while jobs wait
 * for a slot.
 *
 * @param running how many of its agents run jobs
 */
export function warmTarget({ agents, schedules = [], burst }: WarmAgents, running: number, nowEpochMs: number): number {
  const scheduled = schedules.find((schedule) => isWithin(schedule, nowEpochMs))?.agents ?? agents;
  return scheduled + (burst === undefined ? 0 : Math.floor(running / burst.perRunning));
}

/** Says how many idle agents there are at most in one organization or repository while none runs a job. */
export function mostWarm({ agents, schedules = [] }: Pick<WarmAgents, 'agents' | 'schedules'>): number {
  return Math.max(agents, ...schedules.map((schedule) => schedule.agents));
}
