/**
 * Acts when the reader of an output has closed the pipe, as `head -1` does. Without it, the program would end with a stack.
 *
 * @param act @default the program goes on, and nobody reads what it writes there
 */
export function onClosedPipe(output: NodeJS.WriteStream, act: () => void = () => undefined): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    act();
  });
}
