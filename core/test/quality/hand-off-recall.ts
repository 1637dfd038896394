import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { utf8Length } from "../../src/base/text-bounds.js";
import { handOff } from "../../src/sessions/conversations/hand-off.js";
import { pastConversation } from "../../src/sessions/conversations/past-turns.js";
import { previousSessionServer } from "../../src/sessions/conversations/previous-session.js";
import { parseRecord, type StoredRecord } from "../../src/sessions/conversations/stored-record.js";
import { asObject, Json } from "../../src/base/rpc/json.js";

const place = fileURLToPath(new URL("../../../test/quality/conversations/", import.meta.url));

/** Something that was said or done once, and the obvious question about it. */
type Fact = readonly [kind: string, text: string, query: string];

/** Facts of a recorded conversation that another agent can recover. */
export interface Recall {
  readonly name: string;
  readonly turns: number;
  /** Bytes of everything that was recorded. */
  readonly recorded: number;
  /** Tokens of the document, at three bytes each. */
  readonly tokens: number;
  /** Of ten facts. */
  readonly byDocument: number;
  /** With `previous_session`, asked once for each fact that the document does not have. */
  readonly byLookUp: number;
  /** The kinds of the facts that are found in neither. */
  readonly missing: readonly string[];
}

/** How much of each recorded conversation its document tells, and how much with look-ups. */
export async function recalls(): Promise<readonly Recall[]> {
  const scenarios = JSON.parse(readFileSync(join(place, "scenarios.json"), "utf8")) as Record<
    string,
    { facts: Fact[] }
  >;
  const files = readdirSync(place).filter((name) => name.endsWith(".jsonl.gz"));
  return Promise.all(
    files.sort().map((file) => {
      const name = file.slice(0, -".jsonl.gz".length);
      return recallOf(name, file, scenarios[name.slice(name.indexOf("-") + 1)]?.facts ?? []);
    }),
  );
}

async function recallOf(name: string, file: string, facts: readonly Fact[]): Promise<Recall> {
  const text = gunzipSync(readFileSync(join(place, file))).toString("utf8");
  const records = text.split("\n").flatMap((line): StoredRecord[] => {
    const record = parseRecord(line);
    return record ? [record] : [];
  });
  const past = pastConversation(records);
  const document = handOff(past, { id: name, hasLookUp: true })
    .map(({ resource }) => resource.text)
    .join("");
  const unknown = facts.filter(([, fact]) => !document.includes(fact));
  const missing: string[] = [];
  for (const [kind, fact, query] of unknown) if (!(await ask(records, query)).includes(fact)) missing.push(kind);
  return {
    name,
    turns: past.turns.length,
    recorded: Buffer.byteLength(text),
    tokens: Math.ceil(utf8Length(document) / 3),
    byDocument: facts.length - unknown.length,
    byLookUp: facts.length - missing.length,
    missing,
  };
}

async function ask(records: readonly StoredRecord[], query: string): Promise<string> {
  const server = previousSessionServer({ records: () => records, filesNow: () => Promise.resolve(new Map()) }, "1");
  const context = { signal: new AbortController().signal, notify: () => undefined };
  const outcome = await server.call("tools/call", Json.of({ name: "search", arguments: { query } }), context);
  const content = outcome.json.object?.["content"];
  return Array.isArray(content) ? String(asObject(content[0])?.["text"]) : "";
}
