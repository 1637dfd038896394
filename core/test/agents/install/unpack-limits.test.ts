import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readTar } from "../../../src/base/node/archives/tar-and-zip-readers.js";
import { tarArchive, tarMember, zipArchive, type ZipMember } from "./archive-bytes.js";
import { tgz, UnpackStage } from "./unpack-stage.js";

const run = { name: "run", data: "#!/bin/sh\n", mode: 0o755 };
const zipRun: ZipMember = { name: "run", data: "#!/bin/sh\n", mode: 0o100755 };

describe("an archive", function () {
  this.timeout(120_000);
  let stage: UnpackStage;
  let root = "";
  beforeEach(async () => {
    stage = await UnpackStage.open();
    ({ root } = stage);
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const extract: UnpackStage["extract"] = (...words) => stage.extract(...words);
  const refused: UnpackStage["refused"] = (...words) => stage.refused(...words);

  describe("whose headers are the bomb", () => {
    const record = (key: string, value: string): Buffer => {
      const rest = ` ${key}=${value}\n`;
      let length = rest.length;
      while (length !== `${length}${rest}`.length) length = `${length}${rest}`.length;
      return Buffer.from(`${length}${rest}`);
    };

    it("is refused: one record that is larger than any name, in pax and in GNU's form", async () => {
      for (const type of ["x", "g", "L", "K"]) {
        const data =
          type === "x" || type === "g" ? record("path", "x".repeat(2 * 1024 ** 2)) : Buffer.alloc(2 * 1024 ** 2, "x");
        await refused(
          ".tar.gz",
          tgz({ name: "p", type, data, size: 2 ** 32 }, run),
          "install-failed",
          /record.* too large/,
        );
      }
    });

    it("is refused: folders that are only implied", async () => {
      const names = Array.from({ length: 4 }, (_, number) => ({ name: `${number}/${"d/".repeat(40)}x`, data: "x" }));
      const limits = { maxBytes: 1000, maxEntries: 100 };
      await assert.rejects(extract(".tar.gz", tgz(...names), { limits }), /more than 100 members/);
      await assert.rejects(extract(".zip", zipArchive(names), { limits }), /more than 100 members/);
    });
  });

  describe("that is being read", () => {
    for (const [ending, archive] of [
      [".tar", (data: Buffer) => tarArchive([{ name: "a", data }, run])],
      [".tar.gz", (data: Buffer) => tgz({ name: "a", data }, run)],
      [".zip", (data: Buffer) => zipArchive([{ name: "a", data, isStored: true }, zipRun])],
    ] as const) {
      it(`stops in the middle of a ${ending} when it is cancelled`, async () => {
        const controller = new AbortController();
        const data = Buffer.alloc(24 * 1024 ** 2, "some text that is not all zeros ");
        const stopped = extract(ending, archive(data), { signal: controller.signal });
        const member = join(root, "a");
        void (async () => {
          while (((await stat(member).catch(() => undefined))?.size ?? 0) === 0) await new Promise(setImmediate);
          controller.abort(new Error("enough"));
        })();
        await assert.rejects(stopped, /^Error: enough$/);
        assert.ok((await stat(member)).size < data.length, "it wrote all of it");
      });
    }

    it("stops among pax headers when it is cancelled", async () => {
      const controller = new AbortController();
      const header = tarMember({ name: "p", type: "x", data: "30 comment=xxxxxxxxxxxxxxxxxx\n" });
      const read: number[] = [];
      async function* flood(): AsyncGenerator<Uint8Array, void> {
        for (let piece = 0; ; piece++) {
          read.push(piece);
          if (piece === 2) controller.abort(new Error("enough"));
          yield await Promise.resolve(Buffer.concat(Array<Buffer>(100).fill(header)));
        }
      }
      await assert.rejects(
        readTar(flood(), () => assert.fail("there is no member"), controller.signal),
        /^Error: enough$/,
      );
      assert.deepEqual(read, [0, 1, 2]);
    });
  });
});
