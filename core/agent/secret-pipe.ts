/**
 * Makes shell lines that give a program a secret by a pipe, which it reads once: no disk, no environment and no command line
 * has the secret then, and a job could read all of those. Afterwards `$pipe` is the pipe's path, and `$writer` is the process
 * that waits for its reader.
 *
 * @param file the pipe's name, for a program that minds it
 * @param print a command that prints what the program reads, from the shell's variables
 */
export function secretPipe(file: string, print: string): string {
  return `umask 077
directory=$(mktemp -d) && mkfifo "$directory/${file}" || exit 1
pipe=$directory/${file}
{
  ${print} >"$pipe"
  rm -r "$directory"
} &
writer=$!
umask 022
`;
}
