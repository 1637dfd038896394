import { type Members, parsedObject } from "@symposium-dev/core";
import type { FoundState, ReadTimes } from "./found-state.js";
import type { PathState } from "./tree.js";

export type JournalLine = (FoundState & { readonly path: string }) | { readonly id: string; readonly atMs: number };

export function lineOf(line: JournalLine): string {
  if (!("path" in line)) return JSON.stringify(line);
  const { path, state, times, isOld } = line;
  const start = { path, ...(isOld === true && { isOld }) };
  if (typeof state === "string") return JSON.stringify({ ...start, gone: state });
  if (state.kind === "link") return JSON.stringify({ ...start, link: state.target });
  const file = [state.hash, state.size, state.mode, state.isKept];
  return JSON.stringify({ ...start, file, ...(times && { times: [times.mtimeMs, times.ctimeMs, times.ino] }) });
}

export function parsedLine(text: string): JournalLine | undefined {
  const line = parsedObject(text) ?? {};
  const { id, atMs, path, isOld } = line;
  if (typeof id === "string" && typeof atMs === "number") return { id, atMs };
  const state = parsedState(line);
  if (typeof path !== "string" || state === undefined) return undefined;
  const times = parsedTimes(line["times"]);
  return { path, state, ...(times && { times }), ...(isOld === true && { isOld }) };
}

function parsedState({ gone, link, file }: Members): PathState | undefined {
  if (gone === "absent" || gone === "unknown") return gone;
  if (typeof link === "string") return { kind: "link", target: link };
  const [hash, size, mode, isKept] = Array.isArray(file) ? (file as unknown[]) : [];
  if (typeof hash !== "string" || typeof size !== "number" || typeof mode !== "number") return undefined;
  return { kind: "file", hash, size, mode, isKept: isKept === true };
}

function parsedTimes(value: unknown): ReadTimes | undefined {
  const [mtimeMs, ctimeMs, ino] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof mtimeMs !== "number" || typeof ctimeMs !== "number" || typeof ino !== "number") return undefined;
  return { mtimeMs, ctimeMs, ino };
}
