import * as z from "zod/mini";
import type { FoundState } from "./snapshot-journal.js";

/** A line of a journal: what a snapshot found at a path; or its end. */
export type JournalLine = (FoundState & { readonly path: string }) | { readonly id: string; readonly atMs: number };

const fileLine = z.object({
  path: z.string(),
  file: z.tuple([z.string(), z.number(), z.number(), z.boolean()]),
  times: z.optional(z.tuple([z.number(), z.number(), z.number()])),
  isOld: z.optional(z.boolean()),
});
const linkLine = z.object({ path: z.string(), link: z.string(), isOld: z.optional(z.boolean()) });
const goneLine = z.object({ path: z.string(), gone: z.enum(["absent", "unknown"]), isOld: z.optional(z.boolean()) });
const endLine = z.object({ id: z.string(), atMs: z.number() });
const anyLine = z.union([fileLine, linkLine, goneLine, endLine]);

export function lineOf(line: JournalLine): string {
  if (!("path" in line)) return JSON.stringify(line);
  const { path, state, times, isOld } = line;
  const start = { path, ...(isOld === true && { isOld }) };
  if (typeof state === "string") return JSON.stringify({ ...start, gone: state });
  if (state.kind === "link") return JSON.stringify({ ...start, link: state.target });
  const file = [state.hash, state.size, state.mode, state.isKept];
  return JSON.stringify({ ...start, file, ...(times && { times: [times.mtimeMs, times.ctimeMs, times.ino] }) });
}

/** Undefined where it is none. */
export function parsedLine(text: string): JournalLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = anyLine.safeParse(value);
  if (!data || "id" in data) return data;
  const { path, isOld } = data;
  const start = { path, ...(isOld === true && { isOld }) };
  if ("gone" in data) return { ...start, state: data.gone };
  if ("link" in data) return { ...start, state: { kind: "link", target: data.link } };
  const [hash, size, mode, isKept] = data.file;
  const [mtimeMs, ctimeMs, ino] = data.times ?? [];
  const isTimed = mtimeMs !== undefined && ctimeMs !== undefined && ino !== undefined;
  const state = { kind: "file", hash, size, mode, isKept } as const;
  return { ...start, state, ...(isTimed && { times: { mtimeMs, ctimeMs, ino } }) };
}
