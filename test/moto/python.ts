import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../.venv/bin/', import.meta.url);

/** The interpreter of the packages in `requirements.txt`. */
export const python = fileURLToPath(new URL('python', folder));

/** AWS's linter of CloudFormation templates. */
export const cfnLint = fileURLToPath(new URL('cfn-lint', folder));

/** A checker of templates for security, with rules of its own. */
export const checkov = fileURLToPath(new URL('checkov', folder));

/** AWS's command line. */
export const awsCli = fileURLToPath(new URL('aws', folder));

/** Says what to do when the packages are not installed, and undefined when they are. */
export async function missingPython(): Promise<string | undefined> {
  try {
    await Promise.all(['moto_server', 'cfn-lint', 'checkov', 'aws'].map((program) => access(new URL(program, folder))));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    return `the packages of test/moto/requirements.txt are not installed in .venv (${String(code)}): npm run python (Debian: apt-get install python3 python3-venv)`;
  }
}
