import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as z from '../core/zod.ts';

/**
 * Returns an error's stack with positions in the sources, by the map beside the bundle. With `--enable-source-maps`,
 * Node does that by itself, but reads the map at every start of a function, which makes the start a quarter longer.
 * This function reads the map only when there is a stack to show.
 */
export function inSources(stack: string): string {
  return stack.replaceAll(position, inSource);
}

const position = /(file:\/\/[^\s():]+):(\d+):(\d+)/g;
const Origin = z.object({ fileName: z.string(), lineNumber: z.int(), columnNumber: z.int() });

function inSource(anyVersion: string, url: string, line: string, column: string): string {
  // A function is one file, this one. The stack also contains the error's message, which may name any other file.
  if (url !== import.meta.url) return anyVersion;
  const found = Origin.safeParse(bundleMap()?.findOrigin(Number(line), Number(column))).data;
  if (found === undefined) return anyVersion;
  return `${found.fileName.replace(/^(\.\.\/)+/, '')}:${found.lineNumber}:${found.columnNumber}`;
}

const Payload = z.custom<SourceMapPayload>((value) => typeof value === 'object' && value !== null);
let known: { map: SourceMap | undefined } | undefined;

/** @returns undefined without a map: the local runtime runs the sources themselves */
function bundleMap(): SourceMap | undefined {
  known ??= { map: readMap(`${fileURLToPath(import.meta.url)}.map`) };
  return known.map;
}

function readMap(file: string): SourceMap | undefined {
  return existsSync(file) ? new SourceMap(Payload.parse(JSON.parse(readFileSync(file, 'utf8')))) : undefined;
}
