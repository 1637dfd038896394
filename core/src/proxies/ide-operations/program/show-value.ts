import type { IdeCall } from "../ide-call.js";
import { bounded, counted } from "../text/bounded.js";
import { type Place, placeLines, shownPlace } from "../text/place-lines.js";
import { Fields, isList, Item, type Value } from "./value.js";

const maxRows = 200;
const maxCell = 160;
const maxCellItems = 6;
const maxTextLines = 400;

/** A value for reading: places by file, records as rows under the names of their fields. */
export async function showValue(call: IdeCall, value: Value): Promise<string[]> {
  if (value instanceof Item) return placeLines(call, [placeOf(value)]);
  if (value instanceof Fields) return rows(call, [value]);
  if (!isList(value)) return typeof value === "string" ? textLines(value) : [String(value)];
  if (value.length === 0) return ["nothing"];
  const shown = value.slice(0, maxRows);
  const more = value.length > shown.length ? [`… ${value.length - shown.length} more`] : [];
  if (shown.every((one) => one instanceof Item)) {
    return [counted(value.length, "place"), ...(await placeLines(call, shown.map(placeOf))), ...more];
  }
  if (shown.every((one) => one instanceof Fields)) return [...(await rows(call, shown)), ...more];
  return [...shown.flatMap((one) => (typeof one === "string" ? textLines(one) : [cell(call, one)])), ...more];
}

/** A use shows its source; a declaration says what it is. */
function placeOf({ parts }: Item): Place {
  const { uri, position, kind, name, container, diagnostic } = parts;
  if (diagnostic) return { uri, position, note: `${diagnostic.severity}: ${diagnostic.message.replace(/\s+/g, " ")}` };
  if (kind === undefined) return { uri, position };
  return { uri, position, note: `${kind} ${name ?? ""}${container === undefined ? "" : ` in ${container}`}` };
}

async function rows(call: IdeCall, records: readonly Fields[]): Promise<string[]> {
  const names = [...new Set(records.flatMap(({ entries }) => [...entries.keys()]))];
  const lines = records.map(({ entries }) => names.map((name) => cell(call, entries.get(name) ?? null)).join(" | "));
  return Promise.resolve([names.join(" | "), ...lines]);
}

function cell(call: IdeCall, value: Value): string {
  if (value instanceof Item) {
    const { uri, position, name } = value.parts;
    return `${name === undefined ? "" : `${name} `}${shownPlace(call, uri, position)}`;
  }
  if (value instanceof Fields) {
    return `{${[...value.entries].map(([name, one]) => `${name}: ${cell(call, one)}`).join(", ")}}`;
  }
  if (!isList(value)) return bounded(String(value ?? "").replace(/\s+/g, " "), maxCell);
  const more = value.length > maxCellItems ? `, … ${value.length - maxCellItems} more` : "";
  return (
    value
      .slice(0, maxCellItems)
      .map((one) => cell(call, one))
      .join(", ") + more
  );
}

function textLines(text: string): string[] {
  const lines = text.split("\n");
  return lines.length <= maxTextLines
    ? lines
    : [...lines.slice(0, maxTextLines), `… ${lines.length - maxTextLines} more lines`];
}
