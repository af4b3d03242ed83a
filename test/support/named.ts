/** What a table has, each with its name. */
export function named<Item extends object>(table: Readonly<Record<string, Item>>): (Item & { name: string })[] {
  return Object.entries(table).map(([name, item]) => ({ name, ...item }));
}
