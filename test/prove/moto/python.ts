import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../../.venv/bin/', import.meta.url);

/** The interpreter with the packages in `requirements.txt`. */
export const python = fileURLToPath(new URL('python', folder));

/** AWS's linter for CloudFormation templates. */
export const cfnLint = fileURLToPath(new URL('cfn-lint', folder));

/** A security checker for templates. */
export const checkov = fileURLToPath(new URL('checkov', folder));

/** AWS's command line interface. */
export const awsCli = fileURLToPath(new URL('aws', folder));

/** The installation advice when the packages are missing; undefined when they are present. */
export async function missingPython(): Promise<string | undefined> {
  try {
    await Promise.all(['moto_server', 'cfn-lint', 'checkov', 'aws'].map((program) => access(new URL(program, folder))));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    return `the packages of test/prove/moto/requirements.txt are not installed in .venv (${String(code)}): test/prove/moto/install-python (Debian: apt-get install python3 python3-venv)`;
  }
}
