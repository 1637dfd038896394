import { SymposiumError } from "../../base/symposium-error.js";
import { parsedObject, stringOf, stringsOf } from "../../base/rpc/json.js";

/** Message or process event from the file, with all its members. */
export interface ParsedEvent {
  readonly type: "request" | "response" | "notification" | "process";
  readonly ts: number;
  /** Sender of the message. For a process event, both sender and receiver are the component. */
  readonly from: string;
  readonly to: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface ParsedTrace {
  /** Start of the trace in ISO 8601; undefined if the trace doesn't contain it. */
  readonly started: string | undefined;
  /** From client to agent. */
  readonly components: readonly string[];
  readonly events: readonly ParsedEvent[];
  /** Number of lines that aren't valid trace events. */
  readonly brokenLines: number;
}

/**
 * Parses a trace of Symposium or of the reference conductor, counting invalid lines. Throws SymposiumError `invalid-trace` if the text
 * contains no trace.
 */
export function parseTrace(text: string): ParsedTrace {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const events: ParsedEvent[] = [];
  let header: Readonly<Record<string, unknown>> | undefined;
  let brokenLines = 0;
  for (const line of lines) {
    const raw = parsedObject(line);
    const event = raw && toEvent(raw);
    if (event) events.push(event);
    else if (raw?.["type"] === "header") header = raw;
    else brokenLines++;
  }
  if (events.length === 0 && header === undefined) throw notATrace(lines);
  const started = header?.["started"];
  return {
    started: stringOf(started),
    components: orderComponents(stringsOf(header?.["components"]), events),
    events,
    brokenLines,
  };
}

function toEvent(raw: Readonly<Record<string, unknown>>): ParsedEvent | undefined {
  const { type, ts, from, to, method, id, component } = raw;
  if (typeof ts !== "number" || !Number.isFinite(ts)) return undefined;
  if (type === "process" && typeof component === "string") return { type, ts, from: component, to: component, raw };
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  if (type === "response" && id !== undefined) return { type, ts, from, to, raw };
  if (type === "notification" && typeof method === "string") return { type, ts, from, to, raw };
  if (type === "request" && typeof method === "string" && id !== undefined) return { type, ts, from, to, raw };
  return undefined;
}

/**
 * Returns the components in the order of the trace's header. Inserts components that the header doesn't name before the last one, which is
 * the agent.
 */
function orderComponents(named: readonly string[], events: readonly ParsedEvent[]): string[] {
  const known = new Set(named);
  const seen = [...new Set(events.flatMap((event) => [event.from, event.to]))];
  const unnamed = seen.filter((name) => !known.has(name));
  if (named.length === 0) return unnamed.sort((a, b) => placeOf(a) - placeOf(b));
  return [...new Set([...named.slice(0, -1), ...unnamed, ...named.slice(-1)])];
}

function placeOf(name: string): number {
  const lower = name.toLowerCase();
  return lower === "client" ? -1 : lower === "agent" ? 1 : 0;
}

function notATrace(lines: readonly string[]): SymposiumError {
  const hint = "Pass a .jsonl file that was written with --trace-dir.";
  const [first] = lines;
  if (first === undefined) return new SymposiumError("invalid-trace", "The trace is empty.", hint);
  const start = JSON.stringify(first.length > 60 ? `${first.slice(0, 60)}…` : first);
  const problem = `None of its ${lines.length} lines is a trace event; the first one starts with ${start}.`;
  return new SymposiumError("invalid-trace", `This is not a trace. ${problem}`, hint);
}
