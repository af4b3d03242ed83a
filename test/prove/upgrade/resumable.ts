import * as z from 'zod';

const Definition = z.looseObject({ StartAt: z.string(), States: z.record(z.string(), z.unknown()) });

/**
 * Makes a state machine whose executions can begin at any state, as after a deployment. The input is `{ "resumeAt": a
 * state's name, "data": the execution's data }`. The states stay unchanged.
 *
 * @param definition the text of a state machine
 */
export function resumable(definition: string): string {
  const { States, ...machine } = Definition.parse(JSON.parse(definition));
  const Resume = {
    Type: 'Choice',
    Choices: Object.keys(States).map((Next) => ({ Variable: '$.resumeAt', StringEquals: Next, Next })),
    OutputPath: '$.data',
  };
  return JSON.stringify({ ...machine, StartAt: 'Resume', States: { Resume, ...States } });
}
