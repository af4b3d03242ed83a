import * as z from '../zod.ts';

const graceSeconds = z.int().check(z.positive(), z.lte(3600));

/**
 * How long davit waits for a Pod's trouble to pass by itself, in seconds from when it first sees the trouble.
 * `judge-containers.ts` and `judge-pod-setup.ts` say which trouble has which grace, `steps/apply-verdict.ts` measures it.
 */
export const Graces = z.object({
  imagePullSeconds: z.described(graceSeconds, 'For an image that the node cannot pull'),
  containerSeconds: z.described(graceSeconds, "For a container or a Pod's sandbox that the node cannot make or start"),
});
export type Graces = z.infer<typeof Graces>;

/** The default graces of a profile, in seconds: a Secret, an image or a CNI may come a little late. */
export const defaultGraces: Graces = { imagePullSeconds: 30, containerSeconds: 30 };
