/** Column encoding of a language server. */
export type PositionEncoding = "utf-8" | "utf-16" | "utf-32";

/** Returns a line of a document; undefined if unreadable. */
type LineText = (uri: string, line: number) => string | undefined;

/** Returns the column encoding that the server chose in its answer to `initialize`; default: UTF-16. */
export function encodingOf(capabilities: unknown): PositionEncoding {
  const named =
    typeof capabilities === "object" && capabilities !== null && "positionEncoding" in capabilities
      ? capabilities.positionEncoding
      : undefined;
  return named === "utf-8" || named === "utf-32" ? named : "utf-16";
}

/** Converts a UTF-16 column to the server's encoding. Columns after the line end become the end. */
export function toServerColumn(encoding: PositionEncoding, line: string, column: number): number {
  if (encoding === "utf-16") return column;
  return lengthIn(encoding, line.slice(0, column));
}

/** Converts a server's column to UTF-16. Columns inside a character become its start. */
export function fromServerColumn(encoding: PositionEncoding, line: string, column: number): number {
  if (encoding === "utf-16") return column;
  let units = 0;
  let counted = 0;
  for (const character of line) {
    counted += lengthIn(encoding, character);
    if (counted > column) break;
    units += character.length;
  }
  return units;
}

function lengthIn(encoding: PositionEncoding, text: string): number {
  if (encoding === "utf-8") return Buffer.byteLength(text);
  let length = 0;
  for (const _character of text) length += 1;
  return length;
}

/** Members that are returned to the server unmodified. */
const opaque = new Set(["data", "arguments"]);

/**
 * Converts all positions in a server's answer to UTF-16. A position belongs to the document named by the enclosing object, else to `uri`,
 * the request's document.
 */
export function fromServer(encoding: PositionEncoding, answer: unknown, uri: string, lineText: LineText): unknown {
  if (encoding === "utf-16") return answer;
  const convert = (value: unknown, document: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => convert(item, document));
    if (typeof value !== "object" || value === null) return value;
    if (isPosition(value)) {
      const text = lineText(document, value.line);
      return text === undefined ? value : { ...value, character: fromServerColumn(encoding, text, value.character) };
    }
    const own = documentOf(value) ?? document;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]: [string, unknown]) => {
        if (opaque.has(name)) return [name, member];
        if (name === "changes" && !Array.isArray(member)) return [name, convertChanges(member, convert)];
        // `originSelectionRange` of a link is a range in the request's document.
        return [name, convert(member, name === "originSelectionRange" ? document : own)];
      }),
    );
  };
  return convert(answer, uri);
}

function convertChanges(changes: unknown, convert: (value: unknown, document: string) => unknown): unknown {
  if (typeof changes !== "object" || changes === null) return changes;
  return Object.fromEntries(Object.entries(changes).map(([uri, edits]) => [uri, convert(edits, uri)]));
}

function isPosition(value: object): value is { line: number; character: number } {
  return (
    "line" in value && "character" in value && typeof value.line === "number" && typeof value.character === "number"
  );
}

/** Returns the document to which positions in `value` belong; undefined if `value` doesn't name one. */
function documentOf(value: object): string | undefined {
  if ("uri" in value && typeof value.uri === "string") return value.uri;
  if ("targetUri" in value && typeof value.targetUri === "string") return value.targetUri;
  if ("textDocument" in value && typeof value.textDocument === "object" && value.textDocument !== null) {
    return documentOf(value.textDocument);
  }
  // Ranges of an incoming call are in the caller's document; those of an outgoing call are in the request's.
  if ("from" in value && typeof value.from === "object" && value.from !== null) return documentOf(value.from);
  return undefined;
}

interface WirePosition {
  readonly line: number;
  readonly character: number;
}

/** Converts `position` and `range` of request parameters to the server's encoding; values from the server don't change. */
export function encodeParams(encoding: PositionEncoding, params: object, uri: string, lineText: LineText): object {
  if (encoding === "utf-16") return params;
  const at = (position: WirePosition): WirePosition => {
    const text = lineText(uri, position.line);
    return text === undefined
      ? position
      : { ...position, character: toServerColumn(encoding, text, position.character) };
  };
  const encoded: Record<string, unknown> = { ...params };
  if (isWirePosition(encoded["position"])) encoded["position"] = at(encoded["position"]);
  if (isRange(encoded["range"]))
    encoded["range"] = { start: at(encoded["range"].start), end: at(encoded["range"].end) };
  if (isContext(encoded["context"])) {
    const diagnostics = encoded["context"].diagnostics.map((one) => encodeParams(encoding, one, uri, lineText));
    encoded["context"] = { ...encoded["context"], diagnostics };
  }
  return encoded;
}

function isWirePosition(value: unknown): value is WirePosition {
  return typeof value === "object" && value !== null && "line" in value && "character" in value;
}

/** Returns whether a value is the context of a code action request, whose diagnostics come from the server. */
function isContext(value: unknown): value is { readonly diagnostics: readonly object[] } {
  return typeof value === "object" && value !== null && "diagnostics" in value && Array.isArray(value.diagnostics);
}

function isRange(value: unknown): value is { readonly start: WirePosition; readonly end: WirePosition } {
  return typeof value === "object" && value !== null && "start" in value && isWirePosition(value.start);
}
