import { type MemberVisitor, skipSpace, unescaped, visitMembers } from "./json-scan.js";

/** Range of a member's value in the text; `start` is -1 if the member is absent. */
class Span {
  constructor(
    readonly start: number,
    readonly end: number,
  ) {}

  get isPresent(): boolean {
    return this.start !== -1;
  }

  of(text: string): string {
    return text.slice(this.start, this.end);
  }
}

const absent = new Span(-1, -1);

/**
 * JSON-RPC message as received, with the ranges of the members needed for routing. Forwarding replaces only the id and preserves all other
 * text.
 */
export class Frame implements MemberVisitor {
  #methodName: string | undefined;
  id = absent;
  method = absent;
  params = absent;
  result = absent;
  error = absent;
  version = absent;

  private constructor(readonly text: string) {}

  /** Scans one line. Undefined if it isn't a complete JSON object. */
  static scan(text: string): Frame | undefined {
    const frame = new Frame(text);
    const end = visitMembers(text, skipSpace(text, 0), frame);
    return end !== -1 && skipSpace(text, end) === text.length ? frame : undefined;
  }

  /** Returns the frame of a text that differs from this frame's text only inside the last member, which is `params`. */
  withParamsOf(text: string): Frame {
    const frame = new Frame(text);
    frame.#methodName = this.methodName;
    frame.id = this.id;
    frame.method = this.method;
    frame.params = new Span(this.params.start, this.params.end + text.length - this.text.length);
    frame.result = this.result;
    frame.error = this.error;
    frame.version = this.version;
    return frame;
  }

  /** Scans the start of a truncated message for its complete members. */
  static scanHead(text: string): Frame {
    const frame = new Frame(text);
    visitMembers(text, skipSpace(text, 0), frame);
    return frame;
  }

  member(text: string, keyStart: number, keyEnd: number, start: number, end: number): void {
    switch (memberName(text, keyStart, keyEnd)) {
      case "id":
        this.id = new Span(start, end);
        break;
      case "method":
        this.method = new Span(start, end);
        break;
      case "params":
        this.params = new Span(start, end);
        break;
      case "result":
        this.result = new Span(start, end);
        break;
      case "error":
        this.error = new Span(start, end);
        break;
      case "jsonrpc":
        this.version = new Span(start, end);
        break;
    }
  }

  /** The method's name, or undefined when there is none or it is not a JSON string. */
  get methodName(): string | undefined {
    this.#methodName ??= this.#readMethodName();
    return this.#methodName;
  }

  #readMethodName(): string | undefined {
    const { start, end } = this.method;
    if (start === -1 || this.text.charCodeAt(start) !== 0x22) return undefined;
    const name = this.text.slice(start + 1, end - 1);
    return name.includes("\\") ? unescaped(name) : name;
  }

  textWithId(id: string): string {
    return this.text.slice(0, this.id.start) + id + this.text.slice(this.id.end);
  }
}

/** Scans the messages of one connection. Compares each message with the last one, which is faster than a scan. */
export class FrameScanner {
  #last: StreamedMessage | undefined;

  /** Scans one line like {@link Frame.scan}. */
  scan(text: string): Frame | undefined {
    const known = this.#last?.frameOf(text);
    if (known) return known;
    const frame = Frame.scan(text);
    this.#last = frame && StreamedMessage.of(frame);
    return frame;
  }
}

const wordsMember = '"text":"';
/** Maximum length of a message that is compared with the next one. */
const longestCompared = 64 * 1024;

/** Message that streams words: the next message usually differs from it only in a string, the words. */
class StreamedMessage {
  private constructor(
    private readonly frame: Frame,
    private readonly before: string,
    private readonly after: string,
  ) {}

  static of(frame: Frame): StreamedMessage | undefined {
    const { text, params } = frame;
    if (text.length > longestCompared || params.end + 1 !== text.length) return undefined;
    const start = text.indexOf(wordsMember, params.start) + wordsMember.length;
    const end = text.indexOf('"', start);
    if (start < wordsMember.length || isEscaped(text, end)) return undefined;
    const [before, after] = [text.slice(0, start), text.slice(end)];
    // A bracket has no effect inside a string; elsewhere, it makes the message incomplete.
    return Frame.scan(`${before}{${after}`) && new StreamedMessage(frame, before, after);
  }

  /** Returns the frame of a message with other words; undefined for other messages. */
  frameOf(text: string): Frame | undefined {
    const { before, after } = this;
    const start = before.length;
    if (text.slice(0, start) !== before) return undefined;
    const end = text.indexOf('"', start);
    if (text.slice(end) !== after || isEscaped(text, end)) return undefined;
    return this.frame.withParamsOf(text);
  }
}

function isEscaped(text: string, quoteAt: number): boolean {
  return text.charCodeAt(quoteAt - 1) === 0x5c;
}

/** Returns a member's name if routing needs the member. */
function memberName(text: string, start: number, end: number): string | undefined {
  switch (end - start) {
    case 2:
      if (text.startsWith("id", start)) return "id";
      break;
    case 5:
      if (text.startsWith("error", start)) return "error";
      break;
    case 6:
      if (text.startsWith("method", start)) return "method";
      if (text.startsWith("params", start)) return "params";
      if (text.startsWith("result", start)) return "result";
      break;
    case 7:
      if (text.startsWith("jsonrpc", start)) return "jsonrpc";
      break;
  }
  const name = text.slice(start, end);
  return name.includes("\\") ? unescaped(name) : undefined;
}
