/** davit's version, which is the package's: a test compares them. */
export const davitVersion = '0.1.0';
