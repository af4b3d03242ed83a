/**
 * Writes a program's help with the name that the user called. When the command `davit` runs the program, that name is in
 * `DAVIT_COMMAND`.
 *
 * @param help begins with `npm run NAME --`
 */
export function asCalled(help: string): string {
  const command = process.env['DAVIT_COMMAND'];
  return command === undefined ? help : help.replace(/^npm run [\w-]+ --/, command);
}
