import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as z from './zod.ts';

/**
 * Gives an error's stack with the positions in it as the sources have them, by the map beside the bundle. Node does that
 * by itself with `--enable-source-maps`, but reads the map whenever a function starts, which takes it a quarter longer;
 * here it is read when there is a stack to be shown.
 */
export function inSources(stack: string): string {
  return stack.replaceAll(position, inSource);
}

const position = /(file:\/\/[^\s():]+):(\d+):(\d+)/g;
const Origin = z.object({ fileName: z.string(), lineNumber: z.int(), columnNumber: z.int() });

function inSource(anyVersion: string, url: string, line: string, column: string): string {
  // A function is one file, which is this one too. An error's message may name any other, and is in its stack.
  if (url !== import.meta.url) return anyVersion;
  const found = Origin.safeParse(bundleMap()?.findOrigin(Number(line), Number(column))).data;
  if (found === undefined) return anyVersion;
  return `${found.fileName.replace(/^(\.\.\/)+/, '')}:${found.lineNumber}:${found.columnNumber}`;
}

const Payload = z.custom<SourceMapPayload>((value) => typeof value === 'object' && value !== null);
let known: { map: SourceMap | undefined } | undefined;

/** @returns undefined where there is none: for the sources themselves, which the local runtime runs */
function bundleMap(): SourceMap | undefined {
  known ??= { map: readMap(`${fileURLToPath(import.meta.url)}.map`) };
  return known.map;
}

function readMap(file: string): SourceMap | undefined {
  return existsSync(file) ? new SourceMap(Payload.parse(JSON.parse(readFileSync(file, 'utf8')))) : undefined;
}
