import { createHash } from "node:crypto";
import { open, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { invalidArguments } from "../../../base/symposium-error.js";
import { makeFolder } from "../../../base/node/atomic-write.js";
import { FileLock } from "../../../base/node/file-lock.js";
import { parsedObject } from "../../../base/rpc/json.js";
import { maskedLines } from "../masked-lines.js";
import { type SessionEntry, SessionLines } from "../session-lines.js";
import { parseRecord, type SessionHeader, type StoredRecord } from "../stored-record.js";
import { listSessions, sessionEnding, unfinishedEnding } from "./session-index.js";
import { linesOf } from "./stored-lines.js";

interface ImportedSession {
  readonly folder: string;
  /** Path of a file written by `sessions export --format jsonl`. */
  readonly file: string;
  readonly mask: (text: string) => string;
  /** Number of days that conversations are stored. */
  readonly days: number;
}

const dayMs = 24 * 60 * 60_000;
/** Characters per write. */
const batchLength = 1024 * 1024;

/**
 * Imports a file as a new conversation in `folder` and returns its id. The id is derived from the contents: importing a file again doesn't
 * rewrite the conversation, and an interrupted import starts over. Rejects if the file has another format.
 */
export async function importSession({ folder, file, mask, days }: ImportedSession): Promise<string> {
  const { header, hash, last } = readAll(file);
  const stamp = new Date(header.started).toISOString().replace(/\D/g, "").slice(0, 14);
  const id = `${stamp}-${hash.slice(0, 8)}`;
  const path = join(folder, `${id}${sessionEnding}`);
  await makeFolder(folder, 0o700);
  await using _lock = await FileLock.take(path);
  if (await stat(path).catch(() => undefined)) return id;
  const begun = `${path}${unfinishedEnding}`;
  try {
    await writeImported(begun, importedLines(file, mask));
    // Set a recent time, so that cleanup spares an old conversation and the imported one is the latest of its session. Ignores times in the
    // future.
    const same = (await listSessions(folder)).find((one) => one.session === header.session);
    const now = Date.now();
    const time = new Date(Math.max(Math.min(last, now), now - (days / 2) * dayMs, (same?.updated ?? 0) + 1_000));
    await utimes(begun, time, time);
    await rename(begun, path);
  } catch (fault) {
    await rm(begun, { force: true });
    throw fault;
  }
  return id;
}

async function writeImported(file: string, lines: Iterable<string>): Promise<void> {
  await using handle = await open(file, "w", 0o600);
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length < batchLength) continue;
    await handle.appendFile(text);
    text = "";
  }
  await handle.appendFile(text);
  await handle.sync();
}

function readAll(file: string): { readonly header: SessionHeader; readonly hash: string; readonly last: number } {
  const hash = createHash("sha256");
  let header: SessionHeader | undefined;
  let last = 0;
  for (const line of linesOf(file)) {
    hash.update(line);
    const record = parseRecord(line);
    if (record?.kind === "header") header ??= record.header;
    if (!header) break;
    if (record && "at" in record) last = record.at;
  }
  if (header && !Number.isNaN(new Date(header.started).getTime()))
    return { header, hash: hash.digest("hex"), last: last === 0 ? header.started : last };
  throw invalidArguments(
    `${file} isn't an exported conversation: its first line doesn't identify a session.`,
    "Use a file written by `sessions export --format jsonl`.",
  );
}

/** Yields a file's lines, rewritten to include the entries that lists and searches need. */
function* importedLines(file: string, mask: ImportedSession["mask"]): Generator<string> {
  let lines = new SessionLines();
  for (const line of linesOf(file)) {
    const record = parseRecord(line);
    if (record?.kind === "header") {
      lines = new SessionLines({ agent: record.header.agent ?? "", turns: record.header.continues?.turn ?? 0 });
      yield lines.header(record.header);
    } else if (record && record.kind !== "said") {
      yield maskedLines(lines.of(entryOf(record)), mask);
    } else if (!record && parsedObject(line)) yield maskedLines(`${line}\n`, mask);
  }
}

function entryOf(record: Exclude<StoredRecord, { readonly kind: "header" | "said" }>): SessionEntry {
  const { at } = record;
  switch (record.kind) {
    case "update":
      return { kind: "update", at, params: JSON.stringify(record.params), byUser: record.byUser };
    case "child":
      return { kind: "child", at, params: JSON.stringify(record.params) };
    case "prompt":
      return { kind: "prompt", at, blocks: JSON.stringify(record.prompt) };
    case "permission":
      return {
        kind: "permission",
        at,
        params: JSON.stringify(record.permission),
        answer: JSON.stringify(record.answer ?? null),
      };
    case "end":
      return { kind: "end", at, answer: JSON.stringify(record.end ?? null), agent: record.summary.agent };
    case "files":
      return record;
    case "continues":
      return { kind: "continues", at, continued: record.continues, title: "" };
    case "gap":
      return { kind: "gap", at };
  }
}
