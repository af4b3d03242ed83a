import * as z from '../zod.ts';

/** A repository, or several: `owner/name`, in which `*` is any text without a slash and `?` any one character but a slash. */
export const RepositoryGlob = z
  .string()
  .check(
    z.maxLength(200),
    z.regex(/^[\w.*?-]+\/[\w.*?-]+$/, 'expected OWNER/NAME, with * and ? for what may be anything'),
  );
