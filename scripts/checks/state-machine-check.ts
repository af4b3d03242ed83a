import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import asl from 'amazon-states-language-service';
import { rootFolder } from '../../cdk/bundling.ts';
import type { Check } from './check.ts';
import { toolCheck } from './tool-checks.ts';

const file = 'statemachine/launch.asl.json';

/**
 * asl-validator accepts the state machine. Fills in the placeholder of the resources' ARNs as a deployment does:
 * asl-validator's option --no-arn-check has no effect.
 */
export const aslValidatorCheck: Check = {
  name: 'state machine: asl-validator',
  findings: async () => {
    const definition = await readFile(join(rootFolder, file), 'utf8');
    const deployed = definition.replaceAll(/\$\{Partition\}/g, 'aws');
    return toolCheck(file, 'asl-validator', '--json-definition', deployed).findings();
  },
};

/** AWS's own editor service accepts the state machine. */
export const stateMachineCheck: Check = {
  name: 'state machine: amazon-states-language-service',
  findings: async () => stateMachineProblems(await readFile(join(rootFolder, file), 'utf8')),
};

/** Finds what AWS's editor service underlines in a state machine, each with its place. */
export async function stateMachineProblems(definition: string): Promise<string[]> {
  const service = asl.getLanguageService({});
  const document = asl.TextDocument.create(`file:///${file}`, 'asl', 1, definition);
  const diagnostics = await service.doValidation(document, service.parseJSONDocument(document));
  return diagnostics.map(({ range, message }) => {
    const says = typeof message === 'string' ? message : message.value;
    return `${file}:${range.start.line + 1}: ${says}`;
  });
}
