import type { BundledStack } from '../../support/aws/bundles/read-stack.ts';
import type { FunctionDefinition } from '../../support/aws/lambda/function-host.ts';

/** Lists each function's environment: the template's value, and the local value in its place. */
export function environmentLines(
  stack: BundledStack,
  given: Readonly<Record<string, Pick<FunctionDefinition, 'env'>>>,
): string[] {
  return Object.entries(stack.functions).flatMap(([name, { environment }]) => [
    name,
    ...Object.entries(environment).map(([variable, value]) => {
      const template = typeof value === 'string' ? value : JSON.stringify(value);
      return `  ${variable.padEnd(28)} ${template.padEnd(58)} → ${given[name]?.env[variable] ?? 'nothing'}`;
    }),
  ]);
}
