import type { SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import type { IdeCall } from "../ide-call.js";
import { outlineOf } from "../symbols/outline.js";
import { pathHint, symbolError } from "../symbols/symbol-address.js";
import { bounded, counted, placeLines, stateMark } from "../answer-text.js";
import { type IdeToolEntry, offsetProperty } from "./ide-tool.js";

const outlinePage = 150;
const searchPage = 60;
const maxDetail = 80;

/** Tool for the outline of a file or a symbol search by name. */
export const symbolsTool: IdeToolEntry = {
  name: "symbols",
  description: "Outline of a file, or symbols of the workspace whose name contains the query.",
  needs: ["documentSymbols"],
  properties: { file: { type: "string" }, query: { type: "string" }, offset: offsetProperty },
  async run(call, args) {
    const file = args.text("file");
    const query = args.text("query");
    const offset = args.offset();
    if (file !== undefined) return outline(call, { file, query, offset });
    const wanted = args.required("query");
    return (await isFile(call, wanted))
      ? outline(call, { file: wanted, query: undefined, offset })
      : search(call, wanted, offset);
  },
};

/** A symbol's name is never a path. */
async function isFile(call: IdeCall, query: string): Promise<boolean> {
  return /[\\/]|\.\w+$/.test(query) && (await call.documents.text(call.paths.uriOf(query))) !== undefined;
}

interface OutlineRequest {
  readonly file: string;
  readonly query: string | undefined;
  readonly offset: number;
}

async function outline(call: IdeCall, { file, query, offset }: OutlineRequest): Promise<string> {
  const uri = call.paths.uriOf(file);
  const lines = await call.documents.lines(uri);
  if (lines.length === 0) throw symbolError(file, "isn't a readable file", pathHint);
  const entries = (await outlineOf(call, uri)).filter(
    ({ item, isLocal }) => !isLocal && (query === undefined || contains(item.name, query)),
  );
  const page = entries.slice(offset, offset + outlinePage);
  const next = offset + page.length;
  return [
    `${call.paths.shown(uri)}: ${counted(entries.length, "symbol")}, ${counted(lines.length, "line")} ${stateMark(call.state)}`,
    ...page.map(({ item }) => {
      const indent = query === undefined ? " ".repeat(item.depth) : "";
      return `${indent}${item.selectionRange.start.line + 1} ${described(item)}`;
    }),
    ...(next < entries.length ? [`… ${entries.length - next} more from offset ${next}`] : []),
  ].join("\n");
}

async function search(call: IdeCall, query: string, offset: number): Promise<string> {
  const { items, total } = await call.ask("workspaceSymbols", { query, offset, limit: searchPage });
  const places = items.map((item) => ({
    uri: item.uri,
    position: item.selectionRange.start,
    note: `${item.kind} ${item.name}${item.container === undefined ? "" : ` in ${item.container}`}`,
  }));
  const next = offset + items.length;
  return [
    `${counted(total, "symbol")} for ${query} ${stateMark(call.state)}`,
    ...(await placeLines(call, places)),
    ...(next < total && items.length > 0 ? [`… ${total - next} more from offset ${next}`] : []),
  ].join("\n");
}

/** The name of an `impl` block already contains its kind. */
function described({ kind, name, detail }: SymbolItem): string {
  const own = name.startsWith("impl ") ? name : `${kind} ${name}`;
  return detail === undefined || detail === "" ? own : `${own} ${bounded(detail.replace(/\s+/g, " "), maxDetail)}`;
}

function contains(name: string, query: string): boolean {
  return name.toLowerCase().includes(query.toLowerCase());
}
