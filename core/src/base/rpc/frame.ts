import { type MemberVisitor, skipSpace, unescaped, visitMembers } from "./json-scan.js";

/** Range of a member's value in the text; `start` is -1 if the member is absent. */
class Span {
  start = -1;
  end = -1;

  get isPresent(): boolean {
    return this.start !== -1;
  }

  of(text: string): string {
    return text.slice(this.start, this.end);
  }
}

/**
 * JSON-RPC message as received, with the ranges of the members needed for routing. Forwarding replaces only the id and preserves all other
 * text.
 */
export class Frame implements MemberVisitor {
  readonly id = new Span();
  readonly method = new Span();
  readonly params = new Span();
  readonly result = new Span();
  readonly error = new Span();
  readonly version = new Span();

  private constructor(readonly text: string) {}

  /** Scans one line. Undefined if it isn't a complete JSON object. */
  static scan(text: string): Frame | undefined {
    const frame = new Frame(text);
    const end = visitMembers(text, skipSpace(text, 0), frame);
    return end !== -1 && skipSpace(text, end) === text.length ? frame : undefined;
  }

  /** Scans the start of a truncated message for its complete members. */
  static scanHead(text: string): Frame {
    const frame = new Frame(text);
    visitMembers(text, skipSpace(text, 0), frame);
    return frame;
  }

  member(text: string, keyStart: number, keyEnd: number, start: number, end: number): void {
    let span: Span | undefined;
    switch (keyEnd - keyStart) {
      case 2:
        if (text.startsWith("id", keyStart)) span = this.id;
        break;
      case 5:
        if (text.startsWith("error", keyStart)) span = this.error;
        break;
      case 6:
        if (text.startsWith("method", keyStart)) span = this.method;
        else if (text.startsWith("params", keyStart)) span = this.params;
        else if (text.startsWith("result", keyStart)) span = this.result;
        break;
      case 7:
        if (text.startsWith("jsonrpc", keyStart)) span = this.version;
        break;
    }
    span ??= this.#spanOfEscaped(text.slice(keyStart, keyEnd));
    if (span === undefined) return;
    span.start = start;
    span.end = end;
  }

  /** Returns the span of a member whose name contains escapes. */
  #spanOfEscaped(name: string): Span | undefined {
    if (!name.includes("\\")) return undefined;
    switch (unescaped(name)) {
      case "id":
        return this.id;
      case "error":
        return this.error;
      case "method":
        return this.method;
      case "params":
        return this.params;
      case "result":
        return this.result;
      case "jsonrpc":
        return this.version;
      default:
        return undefined;
    }
  }

  /** The method's name, or undefined when there is none or it is not a JSON string. */
  get methodName(): string | undefined {
    const { start, end } = this.method;
    if (start === -1 || this.text.charCodeAt(start) !== 0x22) return undefined;
    const name = this.text.slice(start + 1, end - 1);
    return name.includes("\\") ? unescaped(name) : name;
  }

  textWithId(id: string): string {
    return this.text.slice(0, this.id.start) + id + this.text.slice(this.id.end);
  }
}
