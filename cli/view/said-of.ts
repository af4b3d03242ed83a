/**
 * A message of davit's without the code before it, and without the names after it, which a view shows elsewhere. The
 * scheduler, too, writes its reason before its message: `Unschedulable: 0/1 nodes …`.
 */
export function saidOf(message: string): string {
  const said = message.replace(/^[A-Z][A-Za-z]+: /, '').replace(/ \(launch [^()]*\)$/, '');
  return said.replace(/^Unschedulable: /, '');
}
