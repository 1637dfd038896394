import type { Target } from "../../../base/ide-operations/place.js";
import { bounded, counted, excerpt, shownPlace, stateMark } from "../answer-text.js";
import type { IdeCall } from "../ide-call.js";
import { extentOf, outlineOf } from "../symbols/outline.js";
import { type ResolvedSymbol, resolveSymbol, resolveSymbols } from "../symbols/resolve-symbol.js";
import { parseSymbolAddress } from "../symbols/symbol-address.js";
import { type IdeToolEntry, symbolProperty } from "./ide-tool.js";

const maxTargets = 12;
const linesOfOne = 40;
const linesOfMany = 6;

export const definitionTool: IdeToolEntry = {
  name: "find_definition",
  description: "The place that defines a symbol, with its source.",
  needs: ["definition", "documentSymbols"],
  properties: {
    symbol: { type: "string", description: "Type::method, file#name, file:line#name or file:line:column" },
  },
  required: ["symbol"],
  async run(call, args) {
    const address = args.required("symbol");
    return targetText(call, address, await definitionsOf(call, address), "definition");
  },
};

export const implementationsTool: IdeToolEntry = {
  name: "find_implementations",
  description: "The implementations of a trait, interface or method.",
  needs: ["implementations", "documentSymbols"],
  properties: { symbol: symbolProperty },
  required: ["symbol"],
  async run(call, args) {
    const symbol = await resolveSymbol(call, args.required("symbol"));
    const { items, total } = await call.ask("implementations", {
      uri: symbol.uri,
      position: symbol.position,
      limit: 200,
    });
    return targetText(call, symbol.name, items, "implementation", total);
  },
};

/** Names resolve directly to declarations; places need a query. */
async function definitionsOf(call: IdeCall, address: string): Promise<readonly Target[]> {
  const symbols = await resolveSymbols(call, address);
  const { kind } = parseSymbolAddress(address);
  if (kind === "name" || kind === "member") return symbols.map(toTarget);
  const [symbol] = symbols;
  if (!symbol) return [];
  const { items } = await call.ask("definition", { uri: symbol.uri, position: symbol.position });
  return items;
}

function toTarget({ uri, position, name, item }: ResolvedSymbol): Target {
  const end = { line: position.line, character: position.character + name.length };
  return { uri, range: { start: position, end }, ...(item && { extent: item.range }) };
}

async function targetText(
  call: IdeCall,
  subject: string,
  targets: readonly Target[],
  noun: string,
  total = targets.length,
): Promise<string> {
  if (targets.length === 0) return `no ${noun} of ${subject} found ${stateMark(call.state)}`;
  const blocks: string[] = [];
  const maxLines = targets.length === 1 ? linesOfOne : linesOfMany;
  for (const target of targets.slice(0, maxTargets)) blocks.push(...(await targetLines(call, target, maxLines)));
  const head = targets.length === 1 ? "" : `${counted(total, noun)} of ${subject} `;
  const mark = stateMark(call.state);
  const more = total > maxTargets ? [`… and ${total - maxTargets} more`] : [];
  if (targets.length > 1) return [`${head}${mark}`, ...blocks, ...more].join("\n");
  const [place = "", ...source] = blocks;
  return [`${place} ${mark}`, ...source].join("\n");
}

async function targetLines(call: IdeCall, target: Target, maxLines: number): Promise<string[]> {
  const place = shownPlace(call, target.uri, target.range.start);
  const extent = isWholeDeclaration(target) ? target.extent : await outlinedExtent(call, target);
  return [place, ...(await excerpt(call, target.uri, extent ?? target.range, maxLines))];
}

/** Whether the range is more than the name, since some servers return the name as a declaration's full range. */
function isWholeDeclaration({ extent, range }: Target): boolean {
  return extent !== undefined && (extent.end.line > range.end.line || extent.end.character > range.end.character + 1);
}

async function outlinedExtent(call: IdeCall, target: Target): Promise<Target["extent"]> {
  return extentOf(await outlineOf(call, target.uri), target.range) ?? target.extent;
}

const maxLength = 6_000;

export const hoverTool: IdeToolEntry = {
  name: "hover",
  description: "Type and documentation of a symbol.",
  needs: ["hover"],
  properties: { symbol: symbolProperty },
  required: ["symbol"],
  async run(call, args) {
    const { uri, position, name } = await resolveSymbol(call, args.required("symbol"));
    const { text } = await call.ask("hover", { uri, position });
    const head = `${name} at ${shownPlace(call, uri, position)} ${stateMark(call.state)}`;
    return text === null ? `${head}\nno information available` : `${head}\n${bounded(text.trim(), maxLength)}`;
  },
};
