/** Tells a person how far a run is, with the seconds since the process began. */
export function say(text: string): void {
  process.stderr.write(`${process.uptime().toFixed(1).padStart(6)} s  ${text}\n`);
}
