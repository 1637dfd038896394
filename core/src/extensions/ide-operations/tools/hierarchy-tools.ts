import type { CallItem, SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import type { IdeCall } from "../ide-call.js";
import { resolveSymbol, type ResolvedSymbol } from "../symbols/resolve-symbol.js";
import { counted, type ShownPlace, placeLines, stateMark } from "../answer-text.js";
import { type Arguments, type IdeToolEntry, offsetProperty, symbolProperty } from "./ide-tool.js";

const pageSize = 100;
const maxCallLines = 12;

export const callHierarchyTool: IdeToolEntry = {
  name: "call_hierarchy",
  description: "Functions that call one (incoming, the default) or that it calls.",
  needs: ["incomingCalls", "outgoingCalls"],
  properties: {
    symbol: symbolProperty,
    direction: { enum: ["incoming", "outgoing"] },
    offset: offsetProperty,
  },
  required: ["symbol"],
  async run(call, args) {
    const symbol = await resolveSymbol(call, args.required("symbol"));
    const isOutgoing = args.text("direction") === "outgoing";
    const { items, total } = await call.ask(isOutgoing ? "outgoingCalls" : "incomingCalls", pageOf(symbol, args));
    const places = items.map((item): ShownPlace => {
      const { uri, selectionRange } = item.symbol;
      return { uri, position: selectionRange.start, note: `${callerName(item.symbol)}: ${callLines(item)}` };
    });
    const verb = isOutgoing ? "calls" : "is called by";
    return listed(call, { head: `${symbol.name} ${verb} ${counted(total, "function")}`, places, total, args });
  },
};

export const typeHierarchyTool: IdeToolEntry = {
  name: "type_hierarchy",
  description: "Types that derive from one (subtypes, the default) or that it derives from.",
  needs: ["supertypes", "subtypes"],
  properties: {
    symbol: symbolProperty,
    direction: { enum: ["subtypes", "supertypes"] },
    offset: offsetProperty,
  },
  required: ["symbol"],
  async run(call, args) {
    const symbol = await resolveSymbol(call, args.required("symbol"));
    const direction = args.text("direction") === "supertypes" ? "supertypes" : "subtypes";
    try {
      const { items, total } = await call.ask(direction, pageOf(symbol, args));
      const places = items.map(({ uri, selectionRange, kind, name }): ShownPlace => {
        return { uri, position: selectionRange.start, note: `${kind} ${name}` };
      });
      const head = `${symbol.name} has ${counted(total, direction.slice(0, -1))}`;
      return await listed(call, { head, places, total, args });
    } catch (fault) {
      if (direction === "supertypes" || !call.can("implementations")) throw fault;
      return implementationsInstead(call, symbol, args, fault);
    }
  },
};

/** Returns implementations, since many language servers have no type hierarchy but know these. */
async function implementationsInstead(
  call: IdeCall,
  symbol: ResolvedSymbol,
  args: Arguments,
  fault: unknown,
): Promise<string> {
  const { items, total } = await call.ask("implementations", pageOf(symbol, args));
  if (total === 0) throw fault;
  const places = items.map(({ uri, range }): ShownPlace => ({ uri, position: range.start }));
  const head = `${symbol.name} has ${counted(total, "implementation")}; subtypes aren't available`;
  return listed(call, { head, places, total, args });
}

function pageOf({ uri, position }: ResolvedSymbol, args: Arguments) {
  return { uri, position, offset: args.offset(), limit: pageSize };
}

/** Servers name code outside functions by its file path. */
function callerName({ kind, name }: SymbolItem): string {
  return /[\\/]/.test(name) ? "the file itself" : `${kind} ${name}`;
}

function callLines({ ranges }: CallItem): string {
  const lines = [...new Set(ranges.map(({ start }) => start.line + 1))];
  const more = lines.length > maxCallLines ? " …" : "";
  return `${lines.length === 1 ? "line" : "lines"} ${lines.slice(0, maxCallLines).join(", ")}${more}`;
}

interface Listing {
  readonly head: string;
  readonly places: readonly ShownPlace[];
  readonly total: number;
  readonly args: Arguments;
}

async function listed(call: IdeCall, { head, places, total, args }: Listing): Promise<string> {
  const next = args.offset() + places.length;
  return [
    `${head} ${stateMark(call.state)}`,
    ...(await placeLines(call, places)),
    ...(next < total && places.length > 0 ? [`… ${total - next} more from offset ${next}`] : []),
  ].join("\n");
}
