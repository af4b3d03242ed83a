import * as z from 'zod';

const Definition = z.looseObject({ StartAt: z.string(), States: z.record(z.string(), z.unknown()) });

/**
 * Makes a state machine whose executions can begin at any state, as after a deployment: with the input `{ "resumeAt": a
 * state's name, "data": the execution's data }`. With any other input they begin where they always do. The states stay
 * unchanged.
 *
 * @param definition the text of a state machine
 */
export function resumable(definition: string): string {
  const { StartAt, States, ...machine } = Definition.parse(JSON.parse(definition));
  const Begin = {
    Type: 'Choice',
    Choices: [{ Variable: '$.resumeAt', IsPresent: true, Next: 'Resume' }],
    Default: StartAt,
  };
  const Resume = {
    Type: 'Choice',
    Choices: Object.keys(States).map((Next) => ({ Variable: '$.resumeAt', StringEquals: Next, Next })),
    OutputPath: '$.data',
  };
  return JSON.stringify({ ...machine, StartAt: 'Begin', States: { Begin, Resume, ...States } });
}
