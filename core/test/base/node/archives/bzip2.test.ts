import assert from "node:assert/strict";
import { bunzip2 } from "../../../../src/base/node/archives/bzip2.js";

/** Made with the reference implementation. */
const samples = {
  empty: ["QlpoORdyRThQkAAAAAA=", ""],
  streams: [
    "QlpoOTFBWSZTWWSMu3MAAAABADgAIAAhmBmEYXckU4UJBkjLtzBCWmgxMUFZJlNZQjyw+QAAAAEABwAgACGYGYRhdyRThQkEI8sPkA==",
    "abcdef",
  ],
  runs: [
    "QlpoOTFBWSZTWfFWrHoAADR/////////////////////////////////////////////sADNtiAAAAAAAAAAAmAAAAAAAAAAATAAAAAAAAAAAAAAAAAACYCYS9NTAAAAJkwAAATCYJgAAAAGgAEwAJgAAAAAAAAAAAAAAAAAAABMJMABMAATAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACYWJjBQUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYAHt8gfsCBgQBiAggAH7gWNkZWZnaGlqa2xtbm/+uDi5Obo6uzu8PL09/58fX5/gIGGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7a3uLm6u7y9vr/AwcLDxMXGx8jJysvMzc7P0NHS09TV1tfY2drb3N3e3+Dh4uPk5ebn6Onq6+zt7u/w8fLz9PX29/iW+Zr6+/z9F3JFOFCQ8Vaseg",
    "a".repeat(259) + "bbbbccccc" + String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code)),
  ],
} as const;
/** 20,000,000 zeros in 113 bytes. */
const zeros = "QlpoOTFBWSZTWb/Kr8QAmS/CAMAAAAgACCAAMMwFKaaqkRRsAoijxdyRThQkL/Kr8QA=";

/** Byte offset of the second stream in the sample `streams`. */
const secondStream = 38;

async function* inPieces(data: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < data.length; start += size)
    yield await Promise.resolve(data.subarray(start, start + size));
}

async function decoded(data: Buffer, size = 7): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of bunzip2(inPieces(data, size))) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("bunzip2", () => {
  for (const [name, [packed, text]] of Object.entries(samples)) {
    it(`decodes ${name}, in pieces of any size`, async () => {
      for (const size of [1, 7, 10_000]) {
        assert.equal((await decoded(Buffer.from(packed, "base64"), size)).toString("latin1"), text);
      }
    });
  }

  it("yields long runs in pieces, so that the reader can stop", async () => {
    let bytes = 0;
    for await (const piece of bunzip2(inPieces(Buffer.from(zeros, "base64"), 1000))) {
      bytes += piece.length;
      if (bytes > 1_000_000) break;
    }
    assert.ok(bytes < 1_300_000, String(bytes));
    assert.equal((await decoded(Buffer.from(zeros, "base64"))).length, 20_000_000);
  });

  it("yields no wrong byte for a flipped bit, and never stops short of an end that is missing", async () => {
    const good = Buffer.from(samples.streams[0], "base64");
    const wrong: string[] = [];
    for (let index = 0; index < good.length * 8; index++) {
      const bad = Buffer.from(good);
      bad[index >> 3] = (bad[index >> 3] ?? 0) ^ (0x80 >> (index & 7));
      const text = await decoded(bad, 1000).then(String, () => "damaged");
      // What does not begin like another stream is not read, as with the reference implementation.
      const isSecondMagic = index >= secondStream * 8 && index < (secondStream + 3) * 8;
      if (!["damaged", "abcdef", ...(isSecondMagic ? ["abc"] : [])].includes(text)) wrong.push(`${index}: ${text}`);
    }
    assert.deepEqual(wrong, []);
    for (let length = 1; length < secondStream; length++) {
      await assert.rejects(decoded(good.subarray(0, length)), /damaged/, String(length));
    }
  });
});
