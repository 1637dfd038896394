/** Protocol of a connection, detected from its first bytes. */
type FirstBytes =
  /** More bytes are needed to detect the protocol. */
  | { readonly kind: "incomplete" }
  /** A TLS ClientHello, with the server name it requests. */
  | { readonly kind: "tls"; readonly serverName: string | undefined }
  /** An unencrypted HTTP request. */
  | { readonly kind: "http" }
  | { readonly kind: "other" }
  /** Data that a legitimate program never sends. */
  | { readonly kind: "broken"; readonly reason: string };

/**
 * Maximum length of a ClientHello; the usual length is a few hundred bytes, or 2,000 with post-quantum keys. Limited because the
 * ClientHello is parsed again with each new piece.
 */
const maxHelloBytes = 16_384;
/** Maximum length of the first word of an HTTP request. */
const maxWordBytes = 256;
/** Matches the first word of an HTTP request. Accepts any token (RFC 9110, 5.6.2), since servers accept unknown methods. */
const methodStart = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+/;

/** Detects the protocol of a connection. `bytes` is all data that the program has sent so far. */
export function readFirstBytes(bytes: Uint8Array): FirstBytes {
  if (bytes.length === 0) return { kind: "incomplete" };
  if (bytes[0] === 22) return readHello(bytes);
  // Servers skip empty lines before a request (RFC 9112, 2.2), and some skip white space.
  const from = bytes.findIndex((byte) => ![9, 10, 11, 12, 13, 32].includes(byte));
  if ((from === -1 ? bytes.length : from) > maxWordBytes) return { kind: "broken", reason: "nothing but blanks" };
  if (from === -1) return { kind: "incomplete" };
  const start = String.fromCharCode(...bytes.subarray(from, from + maxWordBytes));
  // SSH is the only similar protocol in which the client may send first.
  if (start.startsWith("SSH-")) return { kind: "other" };
  if (start.startsWith("PRI * HTTP/2")) return { kind: "broken", reason: "HTTP/2 without encryption" };
  const [word = ""] = methodStart.exec(start) ?? [];
  if (word.length === maxWordBytes) return { kind: "broken", reason: "an unterminated first word" };
  if (word.length === start.length) return { kind: "incomplete" };
  const after = start.slice(word.length, word.length + 2);
  if (after === "\r") return { kind: "incomplete" };
  // Some servers accept any white space after the method, or a CR without LF (RFC 9112, 3).
  if (word === "" || !/^(?:[ \t\v\f]|\r[^\n])/.test(after)) return { kind: "other" };
  return { kind: word === "PRI" && start.length < 12 ? "incomplete" : "http" };
}

/** Parses a ClientHello according to RFC 8446, 4.1.2 and 5.1, and RFC 6066, 3. A ClientHello may span several records. */
function readHello(bytes: Uint8Array): FirstBytes {
  const handshake: number[] = [];
  let at = 0;
  for (;;) {
    const length = helloLength(handshake);
    if (length !== undefined && handshake.length >= length) break;
    if (at + 5 > bytes.length) return unfinished(bytes);
    if (bytes[at] !== 22 || bytes[at + 1] !== 3) return { kind: "broken", reason: "an interrupted TLS hello" };
    const size = numberAt(bytes, at + 3, 2);
    if (size === 0) return { kind: "broken", reason: "an empty TLS record" };
    if (at + 5 + size > bytes.length) return unfinished(bytes);
    handshake.push(...bytes.subarray(at + 5, at + 5 + size));
    at += 5 + size;
  }
  if (handshake[0] !== 1) return { kind: "broken", reason: "a TLS connection without a hello" };
  return readNames(Uint8Array.from(handshake.slice(4, helloLength(handshake))));
}

function unfinished(bytes: Uint8Array): FirstBytes {
  return bytes.length > maxHelloBytes
    ? { kind: "broken", reason: "an unterminated TLS hello" }
    : { kind: "incomplete" };
}

function helloLength(handshake: readonly number[]): number | undefined {
  return handshake.length < 4 ? undefined : 4 + numberAt(handshake, 1, 3);
}

function readNames(hello: Uint8Array): FirstBytes {
  const broken = { kind: "broken", reason: "an unreadable TLS hello" } as const;
  // Skip the version and 32 random bytes, then session id, ciphers and compression methods. Extensions follow.
  let at = 34;
  for (const width of [1, 2, 1]) {
    if (at + width > hello.length) return broken;
    at += width + numberAt(hello, at, width);
  }
  if (at === hello.length) return { kind: "tls", serverName: undefined };
  if (at + 2 > hello.length || at + 2 + numberAt(hello, at, 2) !== hello.length) return broken;
  at += 2;
  const names: (string | undefined)[] = [];
  while (at < hello.length) {
    if (at + 4 > hello.length) return broken;
    const [type, length] = [numberAt(hello, at, 2), numberAt(hello, at + 2, 2)];
    if (at + 4 + length > hello.length) return broken;
    if (type === 0) names.push(readServerName(hello.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  if (names.length > 1 || (names.length === 1 && names[0] === undefined)) return broken;
  return { kind: "tls", serverName: names[0] };
}

/** Reads the server name from a list with exactly one entry of type `host_name`. */
function readServerName(data: Uint8Array): string | undefined {
  if (data.length < 5 || numberAt(data, 0, 2) !== data.length - 2 || data[2] !== 0) return undefined;
  if (numberAt(data, 3, 2) !== data.length - 5) return undefined;
  return String.fromCharCode(...data.subarray(5));
}

function numberAt(bytes: Uint8Array | readonly number[], at: number, width: number): number {
  let number = 0;
  for (let index = 0; index < width; index++) number = number * 256 + (bytes[at + index] ?? 0);
  return number;
}
