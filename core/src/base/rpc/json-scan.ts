/**
 * Finds the ends of JSON values without building them (RFC 8259). Matches brackets and strings; other syntax isn't checked before parsing
 * or {@link isJson}.
 */

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

export function skipSpace(text: string, index: number): number {
  for (;;) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return index;
    index++;
  }
}

/** Returns the index after the string's closing quote, or -1 if the string isn't closed. */
function skipString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** Returns the index after the value at `start`, or -1 if it is truncated. `start` must not be at whitespace. */
export function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return skipString(text, start);
  if (first === openBrace || first === openBracket) return skipBrackets(text, start);
  let index = start;
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === comma || code === closeBrace || code === closeBracket || code <= 0x20) break;
    if (code === quote || code === openBrace || code === openBracket || code === colon) return -1;
  }
  return index > start ? index : -1;
}

function skipBrackets(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length;) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = skipString(text, index);
        if (index === -1) return -1;
        continue;
      case openBrace:
      case openBracket:
        depth++;
        break;
      case closeBrace:
      case closeBracket:
        if (--depth === 0) return index + 1;
        break;
    }
    index++;
  }
  return -1;
}

export function unescaped(inner: string): string | undefined {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return undefined;
  }
}

/**
 * Called for each member. `keyStart`..`keyEnd` excludes the quotes, `end` is exclusive. An object instead of a function, so that scans
 * allocate no closures.
 */
export interface MemberVisitor {
  member(text: string, keyStart: number, keyEnd: number, start: number, end: number): void;
}

/**
 * Visits the members of the object at `start`. Returns the index after its closing brace, or -1 if the object is malformed; earlier members
 * are still visited.
 */
export function visitMembers(text: string, start: number, visitor: MemberVisitor): number {
  if (text.charCodeAt(start) !== openBrace) return -1;
  let index = skipSpace(text, start + 1);
  if (text.charCodeAt(index) === closeBrace) return index + 1;
  for (;;) {
    if (text.charCodeAt(index) !== quote) return -1;
    const keyEnd = skipString(text, index);
    if (keyEnd === -1) return -1;
    const colonAt = skipSpace(text, keyEnd);
    if (text.charCodeAt(colonAt) !== colon) return -1;
    const valueStart = skipSpace(text, colonAt + 1);
    const valueEnd = skipValue(text, valueStart);
    if (valueEnd === -1) return -1;
    visitor.member(text, index + 1, keyEnd - 1, valueStart, valueEnd);
    index = skipSpace(text, valueEnd);
    const code = text.charCodeAt(index);
    if (code === closeBrace) return index + 1;
    if (code !== comma) return -1;
    index = skipSpace(text, index + 1);
  }
}

/** Matches characters that need attention inside a string: quotes, backslashes and control characters. */
const special = /["\\]|[^ -\uffff]/g;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Whether `JSON.parse` accepts the text, checked without building the value. */
export function isJson(text: string): boolean {
  const open: number[] = [];
  let index = skipSpace(text, 0);
  for (;;) {
    const first = text.charCodeAt(index);
    if (first === openBrace || first === openBracket) {
      const close = first === openBrace ? closeBrace : closeBracket;
      index = skipSpace(text, index + 1);
      if (text.charCodeAt(index) !== close) {
        open.push(close);
        if (close === closeBrace) index = valueAfterKey(text, index);
        if (index === -1) return false;
        continue;
      }
      index++;
    } else index = first === quote ? stringEnd(text, index) : endOf(scalar, text, index);
    if (index === -1) return false;
    for (index = skipSpace(text, index); open.length > 0; index = skipSpace(text, index + 1)) {
      if (text.charCodeAt(index) !== open.at(-1)) break;
      open.pop();
    }
    if (open.length === 0) return index === text.length;
    if (text.charCodeAt(index) !== comma) return false;
    index = skipSpace(text, index + 1);
    if (open.at(-1) === closeBrace) index = valueAfterKey(text, index);
    if (index === -1) return false;
  }
}

function valueAfterKey(text: string, index: number): number {
  const end = text.charCodeAt(index) === quote ? stringEnd(text, index) : -1;
  if (end === -1) return -1;
  const colonAt = skipSpace(text, end);
  return text.charCodeAt(colonAt) === colon ? skipSpace(text, colonAt + 1) : -1;
}

/** Returns the index after the closing quote of the string at `start`, or -1 if the string is invalid. */
function stringEnd(text: string, start: number): number {
  for (let index = start + 1; index !== -1;) {
    special.lastIndex = index;
    const at = special.exec(text)?.index ?? -1;
    if (at === -1 || text.charCodeAt(at) === quote) return at === -1 ? -1 : at + 1;
    index = endOf(escape, text, at);
  }
  return -1;
}

/** Returns the end of a match at exactly `index`, or -1. */
function endOf(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
