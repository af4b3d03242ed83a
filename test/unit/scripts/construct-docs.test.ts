import { constructSections, membersOf } from '../../../scripts/construct-docs.ts';

const source = `export interface Other { a: string; }

/** Props. */
export interface Props extends Partial<Other> {
  /** One. */
  one: string;
  /**
   * Two, over
   * two lines.
   *
   * @default three
   */
  two?: Readonly<Record<string, A | B>>;
  three?: number;
}

export class Thing extends Construct {
  /** Four. */
  readonly four: string;
  readonly #hidden: string;
  readonly after: string;
}
`;

test('the members of an interface are read with their comments and defaults', () => {
  expect(membersOf(source, 'Props')).toEqual([
    { name: 'one', isOptional: false, type: 'string', about: 'One.', fallback: undefined },
    {
      name: 'two',
      isOptional: true,
      type: 'Readonly<Record<string, A | B>>',
      about: 'Two, over two lines.',
      fallback: 'three',
    },
    { name: 'three', isOptional: true, type: 'number', about: '', fallback: undefined },
  ]);
});

test('the members of a class are read up to its private ones', () => {
  expect(membersOf(source, 'Thing').map(({ name }) => name)).toEqual(['four']);
});

test('an unknown name is an error', () => {
  expect(() => membersOf(source, 'Nothing')).toThrow('there is no Nothing');
});

test('the sections have a line about each prop', () => {
  for (const prop of ['config', 'clusters', 'vpc', 'alarms', 'publicUrl', 'vpcId', 'failureRatio']) {
    expect(constructSections()).toContain(`| \`${prop}\` |`);
  }
});
