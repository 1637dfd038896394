import { fileUri } from "../../../base/file-uri.js";
import type { SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import { maxIdeItems } from "../../../base/ide-operations/wire.js";
import { outlineOf } from "../symbols/outline.js";
import { resolveSymbols } from "../symbols/resolve-symbol.js";
import { excerpt, stateMark } from "../answer-text.js";
import { programLimits } from "./program-limits.js";
import { Fields, isList, Item, type ItemParts, looksLike, typeOf, type Value } from "./value.js";
import type { FunctionCall, ProgramFunction } from "./program-function.js";

/** Functions that query the language servers. Functions for a symbol also accept its address or a list of symbols. */
export const ideFunctions: readonly ProgramFunction[] = [
  {
    name: "symbols",
    args: ["file or query"],
    about: "the outline of a file, or the workspace's symbols whose name contains the text",
    run: (call) => symbols(call),
  },
  {
    name: "symbol",
    args: ["address"],
    about: 'the symbols named by "Type::method", "file#name" or "file:line:column"',
    run: (call) => subjects(call),
  },
  ofEach("definition", "its definition", async (call, item) =>
    (await call.ide.ask("definition", at(item))).items.map((target) => placed(target, item, target.extent)),
  ),
  ofEach("references", "its uses, without the declaration", async (call, item) =>
    (await call.ide.ask("references", { ...at(item), includeDeclaration: false, limit: maxIdeItems })).items.map(
      (use) => placed(use, item),
    ),
  ),
  ofEach("implementations", "what implements it", async (call, item) =>
    (await call.ide.ask("implementations", { ...at(item), limit: maxIdeItems })).items.map((target) =>
      placed(target, item, target.extent),
    ),
  ),
  ofEach("callers", "the functions that call it", async (call, item) =>
    (await call.ide.ask("incomingCalls", at(item))).items.map(({ symbol }) => itemOf(symbol, item.parts.name)),
  ),
  ofEach("callees", "the functions that it calls", async (call, item) =>
    (await call.ide.ask("outgoingCalls", at(item))).items.map(({ symbol }) => itemOf(symbol, item.parts.name)),
  ),
  ofEach("supertypes", "what it derives from", async (call, item) =>
    (await call.ide.ask("supertypes", at(item))).items.map((symbol) => itemOf(symbol, item.parts.name)),
  ),
  ofEach("subtypes", "what derives from it", async (call, item) =>
    (await call.ide.ask("subtypes", at(item))).items.map((symbol) => itemOf(symbol, item.parts.name)),
  ),
  ofEach("hover", "type and documentation, as texts", async (call, item) => {
    const { text } = await call.ide.ask("hover", at(item));
    return text === null ? [] : [text.trim()];
  }),
  {
    name: "source",
    args: ["symbols", "lines?"],
    about: "the source of each, at most that many lines (20)",
    async run(call) {
      const maxLines = call.wholeNumber(1, 20);
      const texts: string[] = [];
      for (const { parts } of await subjects(call)) {
        const range = parts.range ?? { start: parts.position, end: parts.position };
        texts.push((await excerpt(call.ide, parts.uri, range, maxLines)).join("\n"));
      }
      return texts;
    },
  },
  {
    name: "diagnostics",
    args: ["file?"],
    about: "errors and warnings, with severity, message and code",
    run: (call) => diagnostics(call),
  },
  {
    name: "servers",
    args: [],
    about: "the language servers: name, state and memory in MB, as far as they are known",
    run: (call) => servers(call),
  },
  {
    name: "search",
    args: ["word", "files?"],
    about: 'places of the word, in files such as "src/*.rs"',
    run: (call) => search(call),
  },
];

function ofEach(
  name: string,
  about: string,
  run: (call: FunctionCall, item: Item) => Promise<readonly Value[]>,
): ProgramFunction {
  return {
    name,
    args: ["symbols"],
    about,
    async run(call) {
      const found: Value[] = [];
      for (const item of await subjects(call)) {
        call.budget.question(call.at);
        found.push(...(await run(call, item)));
        call.budget.list(found, call.at);
      }
      return found;
    },
  };
}

/** Returns the symbols in the first argument. */
async function subjects(call: FunctionCall): Promise<readonly Item[]> {
  const value = call.values[0] ?? null;
  const items: Item[] = [];
  for (const one of isList(value) ? value : [value]) {
    if (one instanceof Item) items.push(one);
    else if (typeof one === "string") {
      call.budget.question(call.at);
      for (const { name, uri, position, item } of await resolveSymbols(call.ide, one)) {
        items.push(item ? itemOf({ ...item, name }) : new Item({ name, uri, position }));
      }
    } else
      throw call.fault(
        `needs symbols or their addresses, got ${typeOf(one)}.`,
        'Such as "Type::method" or "file#name".',
      );
  }
  return items;
}

async function symbols(call: FunctionCall): Promise<readonly Value[]> {
  const text = call.text(0) ?? "";
  call.budget.question(call.at);
  const uri = call.ide.paths.uriOf(text);
  if ((await call.ide.documents.text(uri)) !== undefined) {
    const entries = await outlineOf(call.ide, uri);
    return entries
      .filter(({ isLocal }) => !isLocal)
      .map(({ item, containers }) =>
        itemOf({ ...item, ...(containers.length > 0 && { container: containers.join("::") }) }),
      );
  }
  if (/[\\/]/.test(text)) throw call.fault(`finds no file "${text}".`, "Paths start from the workspace's folder.");
  const { items } = await call.ide.ask("workspaceSymbols", { query: text, limit: maxIdeItems });
  return items.map((item) => itemOf(item));
}

async function diagnostics(call: FunctionCall): Promise<readonly Value[]> {
  const file = call.text(0);
  call.budget.question(call.at);
  const { files } = await call.ide.ask("diagnostics", file === undefined ? {} : { uri: call.ide.paths.uriOf(file) });
  const items = files.flatMap(({ uri, diagnostics: found }) =>
    found.map((diagnostic) => new Item({ uri, position: diagnostic.range.start, range: diagnostic.range, diagnostic })),
  );
  return call.budget.list(items, call.at);
}

async function servers(call: FunctionCall): Promise<readonly Value[]> {
  call.budget.question(call.at);
  const { servers: found } = await call.ide.ask("status", {});
  return found.map(({ name, state, memory }) => {
    const megabytes = memory === undefined ? null : Math.round(memory / 1_000_000);
    return new Fields(
      new Map<string, Value>([
        ["name", name],
        ["state", stateMark(state)],
        ["memory", megabytes],
      ]),
    );
  });
}

async function search(call: FunctionCall): Promise<readonly Value[]> {
  const word = call.text(0) ?? "";
  const files = call.text(1);
  if (!/^[\p{ID_Continue}$]+$/u.test(word)) {
    throw call.fault(`needs one word, got ${JSON.stringify(word)}.`, "Letters, digits, _ and $.");
  }
  call.budget.question(call.at);
  const query = { folder: call.ide.paths.folder, word, extensions: undefined, limit: programLimits.items };
  const { hits } = await call.ide.services.searchWord(query, call.ide.signal);
  const items = hits.map(
    ({ path, line, character }) => new Item({ name: word, uri: fileUri(path), position: { line, character } }),
  );
  return files === undefined ? items : items.filter((item) => looksLike(call.ide.paths.shown(item.parts.uri), files));
}

function itemOf(symbol: Omit<SymbolItem, "detail">, of?: string): Item {
  const { uri, range, selectionRange, name, kind, container } = symbol;
  return new Item({
    uri,
    range,
    position: selectionRange.start,
    name,
    kind,
    ...(container !== undefined && { container }),
    ...(of !== undefined && { of }),
  });
}

function placed(
  { uri, range }: { readonly uri: string; readonly range: NonNullable<ItemParts["range"]> },
  { parts }: Item,
  extent?: ItemParts["range"],
): Item {
  const of = parts.name;
  return new Item({ uri, position: range.start, ...(extent && { range: extent }), ...(of !== undefined && { of }) });
}

function at({ parts: { uri, position } }: Item) {
  return { uri, position };
}
