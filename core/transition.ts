/**
 * A change of one record by one command, as a pure function of the record as it is: undefined when there is none.
 *
 * @returns the record as it shall be; the very record that it was given when the command changes nothing or is refused
 */
export type Transition<Fields> = (record: Fields | undefined) => Fields | undefined;
