import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { stateMachineFunctions } from '../../runtime/function-settings.ts';

/** A reference path: the keys after `$`. */
const Path = z
  .string()
  .regex(/^\$(\.[A-Za-z]+)*$/, 'expected a reference path')
  .transform((path) => path.split('.').slice(1));

/** A function that a state runs. */
export type StepFunction = (typeof stateMachineFunctions)[keyof typeof stateMachineFunctions];

const functionsByPlaceholder: ReadonlyMap<string, StepFunction> = new Map(
  Object.entries(stateMachineFunctions).map(([placeholder, name]) => [`\${${placeholder}}`, name]),
);

const FunctionPlaceholder = z.string().transform((text, context) => {
  const name = functionsByPlaceholder.get(text);
  if (name === undefined) context.addIssue(`no function has the placeholder ${text}`);
  return name ?? z.NEVER;
});

const ErrorEquals = z.array(z.string()).min(1);

const Retrier = z.strictObject({
  Comment: z.string().optional(),
  ErrorEquals,
  IntervalSeconds: z.int().positive(),
  BackoffRate: z.number().min(1),
  MaxDelaySeconds: z.int().positive().optional(),
  MaxAttempts: z.int().nonnegative(),
  JitterStrategy: z.enum(['FULL', 'NONE']),
});
/** The retries for the errors that it names. */
export type Retrier = z.infer<typeof Retrier>;

const Catcher = z.strictObject({ Comment: z.string().optional(), ErrorEquals, ResultPath: Path, Next: z.string() });

/** The fields of a state's output: a name that ends in `.$` has a path, any other name a constant. */
const Selector = z
  .record(z.string().regex(/^\w+(\.\$)?$/, 'expected a name, with or without .$'), z.union([z.string(), z.number()]))
  .transform((fields, context) =>
    Object.entries(fields).map(([field, value]): SelectedField => {
      if (!field.endsWith('.$')) return { name: field, constant: value };
      const path = Path.safeParse(value);
      if (!path.success) context.addIssue(`${field}: expected a reference path`);
      return { name: field.slice(0, -'.$'.length), path: path.data ?? [] };
    }),
  );

/** One field of a state's output. */
export type SelectedField = { name: string; path: readonly string[] } | { name: string; constant: string | number };

const Task = z.strictObject({
  Type: z.literal('Task'),
  Comment: z.string().optional(),
  Resource: z.literal('arn:${Partition}:states:::lambda:invoke'),
  Parameters: z.strictObject({ FunctionName: FunctionPlaceholder, 'Payload.$': z.literal('$') }),
  TimeoutSeconds: z.int().positive(),
  ResultSelector: Selector.optional(),
  ResultPath: Path.optional(),
  OutputPath: Path.optional(),
  Retry: z.array(Retrier),
  Catch: z.array(Catcher),
  Next: z.string().optional(),
  End: z.literal(true).optional(),
});
/** A state that runs a function. */
export type Task = z.infer<typeof Task>;

const Choice = z.strictObject({
  Type: z.literal('Choice'),
  Comment: z.string().optional(),
  Choices: z.array(z.strictObject({ Variable: Path, StringEquals: z.string(), Next: z.string() })).min(1),
  Default: z.string(),
});

const Fail = z.strictObject({
  Type: z.literal('Fail'),
  Comment: z.string().optional(),
  ErrorPath: Path,
  CausePath: Path,
});

const Succeed = z.strictObject({ Type: z.literal('Succeed'), Comment: z.string().optional() });

const Definition = z.strictObject({
  Comment: z.string(),
  StartAt: z.string(),
  TimeoutSeconds: z.int().positive(),
  States: z.record(z.string(), z.discriminatedUnion('Type', [Task, Choice, Succeed, Fail])),
});
/** A state machine, in the part of the language that davit uses. */
export type Definition = z.infer<typeof Definition>;

/** Reads a state machine. @throws ZodError for any part of the language that davit does not use */
export function parseDefinition(text: string): Definition {
  return Definition.parse(JSON.parse(text));
}

/** Reads davit's own state machine. */
export function readDefinition(): Definition {
  return parseDefinition(readFileSync(new URL('../../statemachine/launch.asl.json', import.meta.url), 'utf8'));
}
