/** Bytes of an IP address, 4 or 16. An IPv4 address in IPv6 notation has 4 bytes. */
export type IpAddress = readonly number[];

/** Kind of an IP address, based only on its number. Addresses of all kinds except `public` are allowed only if a rule names them. */
type AddressKind = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved";

/**
 * Parses an IPv4 address in all forms that programs accept (`127.1`, `0x7f.0.0.1`, `2130706433`, `0177.0.0.1`), or IPv6 without brackets.
 */
export function readAddress(text: string): IpAddress | undefined {
  if (!text.includes(":")) return readV4(text);
  const bytes = readV6(text);
  if (!bytes) return undefined;
  return startsWith(bytes, mapped) ? bytes.slice(12) : bytes;
}

/** Formats an IP address canonically: with dots for IPv4, and according to RFC 5952 without brackets for IPv6. */
export function addressText(address: IpAddress): string {
  if (address.length === 4) return address.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => groupAt(address, index).toString(16));
  const run = longestZeros(groups);
  if (!run) return groups.join(":");
  return `${groups.slice(0, run.start).join(":")}::${groups.slice(run.start + run.length).join(":")}`;
}

/** Returns the kind of an IP address. For an IPv6 address that contains an IPv4 address, considers that address too. */
export function kindOfAddress(address: IpAddress): AddressKind {
  const embedded = address.length === 4 ? address : embeddedV4(address);
  if (metadata.has(addressText(address)) || (embedded && metadata.has(addressText(embedded)))) return "metadata";
  if (address.length === 16) {
    const range = v6Ranges.find(({ prefix, bits }) => hasPrefix(address, prefix, bits));
    if (range) return range.kind;
    if (!embedded) return hasPrefix(address, [0x20], 3) ? "public" : "reserved";
  }
  return v4Ranges.find(({ prefix, bits }) => hasPrefix(embedded ?? [], prefix, bits))?.kind ?? "public";
}

interface Range {
  readonly prefix: readonly number[];
  readonly bits: number;
  readonly kind: AddressKind;
}

/** Addresses of cloud metadata services, which may give out secrets: AWS and most others, AWS over IPv6, Alibaba, Oracle, Azure. */
const metadata: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "fd00:ec2::254",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
]);

/** IPv4 ranges in IANA's special-purpose address registry. */
const v4Ranges: readonly Range[] = [
  { prefix: [127], bits: 8, kind: "loopback" },
  // The kernel routes 0.0.0.0/8 to loopback.
  { prefix: [0], bits: 8, kind: "loopback" },
  { prefix: [10], bits: 8, kind: "private" },
  { prefix: [172, 16], bits: 12, kind: "private" },
  { prefix: [192, 168], bits: 16, kind: "private" },
  { prefix: [100, 64], bits: 10, kind: "private" },
  { prefix: [169, 254], bits: 16, kind: "link-local" },
  { prefix: [192, 0, 0], bits: 24, kind: "reserved" },
  { prefix: [192, 0, 2], bits: 24, kind: "reserved" },
  { prefix: [198, 18], bits: 15, kind: "reserved" },
  { prefix: [198, 51, 100], bits: 24, kind: "reserved" },
  { prefix: [203, 0, 113], bits: 24, kind: "reserved" },
  { prefix: [224], bits: 3, kind: "reserved" },
];

const v6Ranges: readonly Range[] = [
  { prefix: [...Array<number>(15).fill(0), 1], bits: 128, kind: "loopback" },
  { prefix: Array<number>(16).fill(0), bits: 128, kind: "loopback" },
  { prefix: [0xfc], bits: 7, kind: "private" },
  { prefix: [0xfe, 0x80], bits: 10, kind: "link-local" },
  { prefix: [0xfe, 0xc0], bits: 10, kind: "private" },
  { prefix: [0x00, 0x64, 0xff, 0x9b, 0x00, 0x01], bits: 48, kind: "private" },
  // Teredo addresses contain an obfuscated IPv4 address.
  { prefix: [0x20, 0x01, 0, 0], bits: 32, kind: "reserved" },
  { prefix: [0x20, 0x01, 0x0d, 0xb8], bits: 32, kind: "reserved" },
  { prefix: [0xff], bits: 8, kind: "reserved" },
];

const mapped: readonly number[] = [...Array<number>(10).fill(0), 0xff, 0xff];

/** Returns the IPv4 address in an IPv6 address: compatible, translated (RFC 2765, 6052) or 6to4. */
function embeddedV4(address: IpAddress): IpAddress | undefined {
  if (startsWith(address, Array<number>(12).fill(0))) return address.slice(12);
  if (startsWith(address, [...Array<number>(8).fill(0), 0xff, 0xff, 0, 0])) return address.slice(12);
  if (startsWith(address, [0x00, 0x64, 0xff, 0x9b, ...Array<number>(8).fill(0)])) return address.slice(12);
  if (startsWith(address, [0x20, 0x02])) return address.slice(2, 6);
  return undefined;
}

function readV4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length > 4) return undefined;
  const numbers = parts.map(readNumber);
  const last = numbers.pop();
  const heads = numbers.filter((number) => number !== undefined && number < 256);
  const free = 4 - heads.length;
  if (heads.length !== numbers.length || last === undefined || last >= 256 ** free) return undefined;
  const tail = Array.from({ length: free }, (_, index) => Math.floor(last / 256 ** (free - 1 - index)) % 256);
  return [...(heads as number[]), ...tail];
}

/** Parses a hexadecimal, octal or decimal number in the same way as inet_aton. */
function readNumber(text: string): number | undefined {
  if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0 : Number.parseInt(text.slice(2), 16);
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  return /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : undefined;
}

function readV6(text: string): IpAddress | undefined {
  const dotted = /^(.*:)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text);
  const v4 = dotted?.[2] === undefined ? undefined : readV4(dotted[2]);
  if (dotted && (!v4 || /(?:^|\.)0\d/.test(dotted[2] ?? ""))) return undefined;
  const whole = dotted && v4 ? `${dotted[1] ?? ""}${hex(v4, 0)}:${hex(v4, 1)}` : text;
  const halves = whole.split("::");
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  if (![...head, ...tail].every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array<string>(missing).fill("0"), ...tail].flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 255];
  });
}

function hex(bytes: IpAddress, index: number): string {
  return groupAt(bytes, index).toString(16);
}

function groupAt(bytes: IpAddress, index: number): number {
  return (bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0);
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > 1 && length > (best?.length ?? 0)) best = { start, length };
    start += length;
  }
  return best;
}

function startsWith(bytes: IpAddress, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function hasPrefix(bytes: IpAddress, prefix: readonly number[], bits: number): boolean {
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = bits - bit >= 8 ? 255 : (255 << (8 - (bits - bit))) & 255;
    if (((bytes[bit / 8] ?? 0) & mask) !== ((prefix[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}
