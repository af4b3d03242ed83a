import * as z from 'zod/mini';

// In the bundles, before anything else: a schema is interpreted, and not compiled to a function when it is first used.
// Compiled, it is faster from its hundredth use on; a function starts for far less, and waits for each.
z.config({ jitless: true });
