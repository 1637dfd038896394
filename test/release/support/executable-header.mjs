import { open } from "node:fs/promises";

const headBytes = 64 * 1024;
const machines = {
  ELF: { 0x3e: "x64", 0xb7: "arm64" },
  "Mach-O": { 0x01000007: "x64", 0x0100000c: "arm64" },
  PE: { 0x8664: "x64", 0xaa64: "arm64" },
};

/**
 * Reads an executable's header: `{ format, machine, loader }`, and on Windows `subsystem` and `certificateBytes`, which is 0 for unsigned
 * files. Throws if the file is not a 64-bit ELF, Mach-O or PE file.
 */
export async function executableHeader(file) {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(headBytes);
    await handle.read(bytes, 0, headBytes, 0);
    if (bytes.readUInt32BE(0) === 0x7f454c46) return elfHeader(bytes);
    if (bytes.readUInt32LE(0) === 0xfeedfacf) return machOHeader(bytes);
    if (bytes.toString("latin1", 0, 2) === "MZ") return peHeader(bytes);
    throw new Error(`${file} is no executable: ${bytes.toString("hex", 0, 4)}`);
  } finally {
    await handle.close();
  }
}

function elfHeader(bytes) {
  if (bytes[4] !== 2) throw new Error("This is no ELF file of 64 bits.");
  const [tableAt, entryBytes, entries] = [
    Number(bytes.readBigUInt64LE(32)),
    bytes.readUInt16LE(54),
    bytes.readUInt16LE(56),
  ];
  let loader;
  for (let index = 0; index < entries; index++) {
    const at = tableAt + index * entryBytes;
    if (bytes.readUInt32LE(at) !== 3) continue;
    const [from, length] = [8, 32].map((offset) => Number(bytes.readBigUInt64LE(at + offset)));
    loader = bytes.toString("latin1", from, from + length - 1);
  }
  return { format: "ELF", machine: machines.ELF[bytes.readUInt16LE(18)], loader };
}

function machOHeader(bytes) {
  let loader;
  let at = 32;
  for (let index = 0; index < bytes.readUInt32LE(16); index++) {
    const length = bytes.readUInt32LE(at + 4);
    if (bytes.readUInt32LE(at) === 0xe) loader = textAt(bytes, at + bytes.readUInt32LE(at + 8), at + length);
    at += length;
  }
  return { format: "Mach-O", machine: machines["Mach-O"][bytes.readUInt32LE(4)], loader };
}

function peHeader(bytes) {
  const at = bytes.readUInt32LE(60);
  const optional = at + 24;
  if (bytes.toString("latin1", at, at + 4) !== "PE\0\0" || bytes.readUInt16LE(optional) !== 0x20b)
    throw new Error("This is no PE file of 64 bits.");
  return {
    format: "PE",
    machine: machines.PE[bytes.readUInt16LE(at + 4)],
    loader: undefined,
    subsystem: { 2: "window", 3: "console" }[bytes.readUInt16LE(optional + 68)],
    certificateBytes: bytes.readUInt32LE(optional + 112 + 4 * 8 + 4),
  };
}

function textAt(bytes, from, to) {
  return bytes.toString("latin1", from, to).replace(/\0.*$/s, "");
}
