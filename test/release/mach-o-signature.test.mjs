import assert from "node:assert/strict";
import { signatureProblems, signedAdHoc } from "../../scripts/release/mach-o-signature.mjs";

const contentBytes = 10_000;

/** A Mach-O executable without code: a text segment, a link edit segment with a signature at its end, as `codesign` leaves it. */
function executable() {
  const bytes = Buffer.alloc(contentBytes + 64);
  const commands = [segment("__TEXT", 0n, 4_096n), segment("__LINKEDIT", 4_096n, BigInt(contentBytes + 64 - 4_096))];
  const signature = Buffer.alloc(16);
  [0x1d, 16, contentBytes, 64].forEach((value, index) => signature.writeUInt32LE(value, index * 4));
  [0xfeedfacf, 0x01000007, 3, 2, 3, 72 * 2 + 16].forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  Buffer.concat([...commands, signature]).copy(bytes, 32);
  for (let at = 300; at < contentBytes; at++) bytes[at] = at % 251;
  return bytes;
}

function segment(name, fileOffset, fileBytes) {
  const bytes = Buffer.alloc(72);
  bytes.writeUInt32LE(0x19, 0);
  bytes.writeUInt32LE(72, 4);
  bytes.write(name, 8);
  bytes.writeBigUInt64LE(fileOffset, 40);
  bytes.writeBigUInt64LE(fileBytes, 48);
  return bytes;
}

describe("the signature of an executable for a Mac", () => {
  it("fits every page once it is made", () => {
    assert.deepEqual(signatureProblems(signedAdHoc(executable(), "symposium-acp-agent")), []);
  });

  it("is the same for the same executable and name, and another for another name", () => {
    const [one, same, other] = ["a", "a", "b"].map((name) => signedAdHoc(executable(), name).toString("hex"));
    assert.equal(one, same);
    assert.notEqual(one, other);
  });

  it("tells which pages were changed after it", () => {
    const signed = signedAdHoc(executable(), "symposium-acp-agent");
    signed[5_000] ^= 1;
    assert.deepEqual(signatureProblems(signed), ["1 of 3 pages are not what was signed"]);
  });

  it("replaces one that was made before, and ends the file where it ends", () => {
    const once = signedAdHoc(executable(), "symposium-acp-agent");
    assert.deepEqual(signedAdHoc(once, "symposium-acp-agent"), once);
  });

  it("is not made for a file of another kind", () => {
    assert.throws(() => signedAdHoc(Buffer.from("#!/bin/sh\necho this is a script, not an executable\n"), "a"), {
      message: "This is no 64-bit Mach-O file.",
    });
  });
});
