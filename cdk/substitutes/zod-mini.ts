// Replaces zod/mini in the bundles: makes zod interpret schemas, and not compile each at its first use. A compiled schema
// is faster from its hundredth use on. A Lambda uses its schemas far less often, and its start would wait for each
// compilation.
import { config } from '../../node_modules/zod/mini/index.js';

export * from '../../node_modules/zod/mini/index.js';

config({ jitless: true });
