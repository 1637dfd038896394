// The code signature of a 64-bit Mach-O file, as Apple's xnu defines it (osfmk/kern/cs_blobs.h): read, checked, and replaced
// by an ad-hoc one, which says that the file is whole and not who made it. Apple's own tool runs on a Mac only.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const command = { segment: 0x19, codeSignature: 0x1d };
const magic = { superBlob: 0xfade0cc0, codeDirectory: 0xfade0c02 };
const adHocFlag = 0x2;
const sha256Type = 2;
const hashBytes = 32;
const pageBits = 12;
const pageBytes = 1 << pageBits;
/** Of a code directory of version 0x20400, which says where the executable segment is. */
const headerBytes = 88;
const mainBinary = 1n;

/** What is wrong with the signature of an executable; empty when every page is what was signed. */
export function signatureProblems(bytes) {
  const { signature } = loadCommands(bytes);
  if (!signature) return ["it is not signed"];
  const directory = codeDirectoryOf(bytes, signature.offset);
  if (!directory) return ["its signature has no code directory of SHA-256"];
  const { at, hashesAt, count, limit } = directory;
  const bad = [];
  for (let page = 0; page < count; page++) {
    const hash = sha256(bytes.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit)));
    const expected = at + hashesAt + page * hashBytes;
    if (!hash.equals(bytes.subarray(expected, expected + hashBytes))) bad.push(page);
  }
  const problems = bad.length === 0 ? [] : [`${bad.length} of ${count} pages are not what was signed`];
  return limit === signature.offset ? problems : [...problems, `${signature.offset - limit} bytes are not signed`];
}

/** Replaces the signature of the executable `file` by an ad-hoc one in the name of `identifier`. */
export async function signAdHoc(file, identifier) {
  const bytes = await readFile(file);
  await writeFile(file, signedAdHoc(bytes, identifier));
}

/** The bytes of an executable with an ad-hoc signature in place of the one that it has. Throws where it has none. */
export function signedAdHoc(bytes, identifier) {
  const { signature, linkEdit, text } = loadCommands(bytes);
  if (!signature || !linkEdit || !text) throw new Error("Only a signed 64-bit Mach-O executable can be signed again.");
  const count = Math.ceil(signature.offset / pageBytes);
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = headerBytes + name.length + count * hashBytes;
  const blobBytes = 20 + directoryBytes;
  const signed = Buffer.alloc(signature.offset + blobBytes);
  bytes.copy(signed, 0, 0, signature.offset);
  // The commands that tell its size are signed, too.
  signed.writeUInt32LE(blobBytes, signature.commandAt + 12);
  const linkEditBytes = BigInt(signature.offset + blobBytes) - linkEdit.fileOffset;
  signed.writeBigUInt64LE(roundedUp(linkEditBytes, 0x4000n), linkEdit.commandAt + 32);
  signed.writeBigUInt64LE(linkEditBytes, linkEdit.commandAt + 48);

  const blob = signed.subarray(signature.offset);
  [magic.superBlob, blobBytes, 1, 0, 20].forEach((value, index) => blob.writeUInt32BE(value, index * 4));
  const directory = blob.subarray(20);
  const head = [magic.codeDirectory, directoryBytes, 0x20400, adHocFlag, headerBytes + name.length, headerBytes];
  [...head, 0, count, signature.offset].forEach((value, index) => directory.writeUInt32BE(value, index * 4));
  directory.set([hashBytes, sha256Type, 0, pageBits], 36);
  directory.writeBigUInt64BE(text.fileOffset, 64);
  directory.writeBigUInt64BE(text.fileBytes, 72);
  directory.writeBigUInt64BE(mainBinary, 80);
  name.copy(directory, headerBytes);
  for (let page = 0; page < count; page++) {
    const end = Math.min((page + 1) * pageBytes, signature.offset);
    sha256(signed.subarray(page * pageBytes, end)).copy(directory, headerBytes + name.length + page * hashBytes);
  }
  return signed;
}

function loadCommands(bytes) {
  if (bytes.length < 32 || bytes.readUInt32LE(0) !== 0xfeedfacf) throw new Error("This is no 64-bit Mach-O file.");
  const found = {};
  let at = 32;
  for (let index = 0; index < bytes.readUInt32LE(16); index++) {
    const kind = bytes.readUInt32LE(at);
    if (kind === command.codeSignature) found.signature = { commandAt: at, offset: bytes.readUInt32LE(at + 8) };
    if (kind === command.segment) {
      const name = bytes.toString("latin1", at + 8, at + 24).replace(/\0+$/, "");
      const segment = {
        commandAt: at,
        fileOffset: bytes.readBigUInt64LE(at + 40),
        fileBytes: bytes.readBigUInt64LE(at + 48),
      };
      if (name === "__LINKEDIT") found.linkEdit = segment;
      if (name === "__TEXT") found.text = segment;
    }
    at += bytes.readUInt32LE(at + 4);
  }
  return found;
}

function codeDirectoryOf(bytes, blobAt) {
  if (bytes.readUInt32BE(blobAt) !== magic.superBlob) return undefined;
  for (let index = 0; index < bytes.readUInt32BE(blobAt + 8); index++) {
    const at = blobAt + bytes.readUInt32BE(blobAt + 16 + index * 8);
    const isOurs = bytes.readUInt32BE(at) === magic.codeDirectory && bytes[at + 37] === sha256Type;
    if (!isOurs || bytes[at + 39] !== pageBits) continue;
    const [hashesAt, count, limit] = [16, 28, 32].map((offset) => bytes.readUInt32BE(at + offset));
    return { at, hashesAt, count, limit };
  }
  return undefined;
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest();
}

function roundedUp(value, unit) {
  return ((value + unit - 1n) / unit) * unit;
}
