/** One header block of a tar archive. */
export interface TarHeader {
  readonly name: string;
  readonly linkName: string;
  readonly type: string;
  readonly size: number;
  readonly mode: number;
}

/** Reads a header block; undefined at the end of the archive. Throws where it is none. */
export function readTarHeader(block: Buffer): TarHeader | undefined {
  if (block.length === 0 || block.every((byte) => byte === 0)) return undefined;
  if (block.length < 512) throw new Error("it ends within a header");
  if (readNumber(block, 148, 8) !== checksumOf(block)) throw new Error("it is no tar archive, or damaged");
  const type = String.fromCharCode(block[156] ?? 0);
  // GNU's own format keeps other things where the standard has the first part of the name.
  const isStandard = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isStandard ? readText(block, 345, 155) : "";
  const name = readText(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    linkName: readText(block, 157, 100),
    type,
    size: readNumber(block, 124, 12),
    mode: readNumber(block, 100, 8),
  };
}

/** Reads the records of a pax header: `LENGTH KEY=VALUE\n`, the length counting all of it in bytes. */
export function paxRecords(data: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < data.length;) {
    const space = data.indexOf(0x20, start);
    const length = space === -1 ? Number.NaN : Number(data.toString("latin1", start, space));
    const record = data.toString("utf8", space + 1, start + length);
    const equals = record.indexOf("=");
    const isWhole = Number.isSafeInteger(length) && length > 0 && record.endsWith("\n") && equals > 0;
    if (!isWhole || start + length > data.length) throw new Error("a record in front of a member is damaged");
    records.set(record.slice(0, equals), record.slice(equals + 1, -1));
    start += length;
  }
  return records;
}

/** The sum of all bytes, with spaces in place of the sum itself. */
function checksumOf(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function readText(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end);
}

/** Octal digits, or, with the highest bit set, a big-endian number. */
function readNumber(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    return field.reduce((value, byte, index) => value * 256 + (index === 0 ? byte & 0x7f : byte), 0);
  }
  const digits = /^[\s\0]*([0-7]*)[\s\0]*$/.exec(field.toString("latin1"))?.[1];
  if (digits === undefined) throw new Error("it is no tar archive, or damaged");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}
