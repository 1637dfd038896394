/** Event as in the trace: members may have any type; `ts` is in seconds. */
export interface PageEvent {
  readonly type?: unknown;
  readonly ts: number;
  readonly protocol?: unknown;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly component?: unknown;
  readonly method?: unknown;
  readonly session?: unknown;
  readonly params?: unknown;
  readonly is_error?: unknown;
  readonly payload?: unknown;
  readonly error?: unknown;
  readonly result?: unknown;
  readonly event?: unknown;
  readonly command?: unknown;
  readonly args?: unknown;
  readonly pid?: unknown;
  readonly text?: unknown;
  readonly code?: unknown;
  readonly signal?: unknown;
}

/** Maximum characters of a preview. */
export const maxPreview = 160;

/** Returns the event's kind, which is also its CSS class. */
export function kindOf(event: PageEvent): string {
  if (event.type === "process") return "process";
  if (event.type === "response") return event.is_error === true ? "error" : "response";
  return event.method === "$/cancel_request" ? "cancel" : textOf(event.type);
}

/** Converts any value to text; undefined becomes an empty string. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}

/** Returns the member at a path, or undefined if any part is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== "object" || member === null) return undefined;
    member = (member as Readonly<Record<string, unknown>>)[name];
  }
  return member;
}

function clip(text: string): string {
  const line = text
    .slice(0, maxPreview * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxPreview ? `${line.slice(0, maxPreview)}…` : line;
}

/** Joins the nonempty values to one short line. */
export function joined(...parts: readonly unknown[]): string {
  return clip(
    parts
      .map(textOf)
      .filter((part) => part !== "")
      .join(" "),
  );
}

/** Returns the first members with scalar values, as a preview of messages of an unknown kind. */
function gist(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null ? "" : clip(textOf(value));
  const scalars = Object.entries(value).filter(([key, member]) => key !== "sessionId" && typeof member !== "object");
  return clip(
    scalars
      .slice(0, 4)
      .map(([key, member]) => `${key}: ${textOf(member)}`)
      .join(", "),
  );
}

/** Returns the blocks' texts or kinds; empty unless `blocks` is a list. */
function blocksText(blocks: unknown): string {
  return Array.isArray(blocks) ? joined(...blocks.map((block) => at(block, "text") ?? at(block, "type"))) : "";
}

function requestPreview(method: unknown, params: unknown): string {
  switch (method) {
    case "session/update": {
      const update = at(params, "update");
      const [title, status] = [at(update, "title"), at(update, "status")];
      const said = at(update, "content", "text") ?? title ?? status ?? at(update, "currentModeId");
      return joined(at(update, "sessionUpdate"), said, textOf(title) === "" ? undefined : status);
    }
    case "session/prompt":
      return blocksText(at(params, "prompt"));
    case "session/request_permission":
      return joined(at(params, "toolCall", "title") ?? at(params, "toolCall", "toolCallId"));
    case "initialize": {
      const client = at(params, "clientInfo");
      return joined(at(client, "name"), at(client, "version"), `protocol ${textOf(at(params, "protocolVersion"))}`);
    }
    case "session/new":
    case "session/load":
    case "session/resume":
    case "session/fork":
      return joined(at(params, "cwd"));
    case "mcp/message":
    case "_mcp/message":
      return joined(at(params, "method"), at(params, "params", "name"));
    default:
      return gist(params);
  }
}

function responsePreview(event: PageEvent): string {
  const payload = event.payload ?? event.error ?? event.result;
  if (event.is_error === true) return joined(at(payload, "code"), at(payload, "message"));
  const content = at(payload, "result", "content");
  if (event.protocol === "mcp" && Array.isArray(content)) return blocksText(content);
  const main =
    at(payload, "stopReason") ??
    at(payload, "sessionId") ??
    at(payload, "outcome", "optionId") ??
    at(payload, "agentInfo", "name");
  return joined(main) || gist(payload);
}

function processPreview({ event, command, args, pid, text, code, signal }: PageEvent): string {
  if (event === "start") {
    const words = Array.isArray(args) ? args.map(textOf).join(" ") : undefined;
    return joined("started", command, words, pid === undefined ? "" : `(pid ${textOf(pid)})`);
  }
  if (event !== "exit") return joined(event, text);
  const isKilled = signal !== undefined && signal !== null;
  return joined("exited", isKilled ? `by ${textOf(signal)}` : `with code ${textOf(code)}`, text);
}

export function previewOf(event: PageEvent): string {
  if (event.type === "process") return processPreview(event);
  if (event.type === "response") return responsePreview(event);
  return requestPreview(event.method, event.params ?? {});
}

/** Formats seconds as `1.234`, or as `2:03.456` from one minute. */
export function formatTime(seconds: number): string {
  if (seconds < 60) return seconds.toFixed(3);
  const whole = Math.floor(seconds / 60);
  return `${whole}:${(seconds - whole * 60).toFixed(3).padStart(6, "0")}`;
}
