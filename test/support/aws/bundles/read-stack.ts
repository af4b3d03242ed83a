import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type FunctionName, functionSettings } from '../../../../runtime/function-settings.ts';

/** A function as a synthesised stack has it. */
export interface BundledFunction {
  /** The folder of its bundle. */
  folder: string;
  /** `index.handler`. */
  handler: string;
  /** The template's value: text, or an intrinsic function. */
  environment: Record<string, unknown>;
  timeoutSeconds: number;
  memoryMiB: number;
}

/** The parts of a synthesised stack that the local runtime uses. */
export interface BundledStack {
  functions: Record<string, BundledFunction>;
  /** The resources by logical id: each its construct's path below the Davit construct, as `LaunchesTable`. */
  constructs: ReadonlyMap<string, string>;
}

const templateFile = 'Davit.template.json';

const Resource = z.object({
  Type: z.string(),
  Properties: z.unknown().optional(),
  Metadata: z.object({ 'aws:cdk:path': z.string().optional(), 'aws:asset:path': z.string().optional() }).optional(),
});
const Template = z.object({ Resources: z.record(z.string(), Resource) });

const FunctionProperties = z.object({
  Description: z.string(),
  Handler: z.string(),
  Timeout: z.int(),
  MemorySize: z.int(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

/**
 * Reads a stack that `cdk synth` has written, with its bundles.
 *
 * @param folder `cdk.out`
 * @throws Error naming what the folder lacks: the template, a function, or a bundle
 */
export function readStack(folder: string): BundledStack {
  const path = join(folder, templateFile);
  if (!existsSync(path)) throw new Error(`${path} is not there: run \`npm run synth\``);
  const { Resources } = Template.parse(JSON.parse(readFileSync(path, 'utf8')));
  const resources = Object.entries(Resources);
  const functions = resources
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .flatMap(([, resource]) => readFunction(folder, resource));
  const byName = Object.fromEntries(functions);
  const missing = Object.keys(functionSettings).filter((name) => byName[name] === undefined);
  if (missing.length > 0) throw new Error(`${path} has no function ${missing.join(', ')}`);
  const constructs = resources.map(([logicalId, { Metadata }]) => [logicalId, constructOf(Metadata)] as const);
  return { functions: byName, constructs: new Map(constructs) };
}

/** Skips functions that are not davit's own, such as those of a custom resource. */
function readFunction(folder: string, { Properties, Metadata }: z.infer<typeof Resource>): [string, BundledFunction][] {
  const parsed = FunctionProperties.safeParse(Properties).data;
  const name = parsed?.Description.replace(/^davit /, '') ?? '';
  if (parsed === undefined || !isFunctionName(name)) return [];
  const asset = Metadata?.['aws:asset:path'];
  if (asset === undefined) throw new Error(`function ${name} has no bundle in the template`);
  const { Handler, Timeout, MemorySize, Environment } = parsed;
  const environment = Environment.Variables;
  const described = { handler: Handler, environment, timeoutSeconds: Timeout, memoryMiB: MemorySize };
  return [[name, { folder: join(folder, asset), ...described }]];
}

function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionSettings, name);
}

/** `Davit/Davit/Api/HttpApi/Resource` is `Api/HttpApi`. */
function constructOf(metadata: z.infer<typeof Resource>['Metadata']): string {
  return (metadata?.['aws:cdk:path'] ?? '').split('/').slice(2, -1).join('/');
}
