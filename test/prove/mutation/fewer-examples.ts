import * as fc from 'fast-check';

/** A property runs once for each mutant: a tenth of the examples finds most, in a tenth of the time. */
fc.configureGlobal({ numRuns: 20 });
