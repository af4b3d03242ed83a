/**
 * Rewrites the parts of tsc's output that tsc leaves unchanged: URLs of sources (`new URL('./worker.ts',
 * import.meta.url)`) in JavaScript, and specifiers in declarations.
 */
export function rewriteExtensions(text: string): string {
  return text
    .replaceAll(/new URL\((['"])([^'"]+)\.(m?)ts\1, import\.meta\.url\)/g, 'new URL($1$2.$3js$1, import.meta.url)')
    .replaceAll(/((?:from|import)\s*\(?)(['"])(\.{1,2}\/[^'"]+)\.(m?)ts\2/g, '$1$2$3.$4js$2');
}
