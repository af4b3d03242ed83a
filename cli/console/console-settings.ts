/** The page's settings that davit's API does not have. */
export interface ConsoleSettings {
  /** The davit that it shows: `the stack Davit`. */
  davit: string;
  version: string;
  /** Dollars for an hour of a profile's Pod, by the profile's name, in place of its own price. */
  pricePerHour: Readonly<Record<string, number>>;
  /** AWS's charge for davit itself; absent for a local one. */
  dollarsPerLaunch?: number;
}
