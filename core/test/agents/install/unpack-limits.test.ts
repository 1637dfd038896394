import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { readTar } from "../../../src/base/node/archives/tar-and-zip-readers.js";
import { tarArchive, type TarMember, tarMember, zipArchive, type ZipMember } from "./archive-bytes.js";
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
    const records = (count: number): Buffer =>
      Buffer.concat(Array.from({ length: count }, (_, number) => record(`k${number}`, "v")));
    const many = (count: number, member: TarMember): Buffer => Buffer.concat(Array(count).fill(tarMember(member)));
    const half = Buffer.alloc(512 * 1024, "x");

    it("is refused soon: pax headers without a member, of the archive and of each", async () => {
      for (const type of ["x", "g"]) {
        const flood = many(8 * 1024, { name: "p", type, data: record("comment", "x".repeat(480)) });
        for (const ending of [".tar", ".tar.gz"]) {
          const archive = ending === ".tar" ? flood : gzipSync(flood);
          await refused(ending, archive, "install-failed", /more than a megabyte of records/);
        }
      }
    });

    it("is refused: one record that is larger than any name, in pax and in GNU's form", async () => {
      for (const type of ["x", "g", "L", "K"]) {
        const data =
          type === "x" || type === "g" ? record("path", "x".repeat(2 * 1024 ** 2)) : Buffer.alloc(2 * 1024 ** 2, "x");
        await refused(
          ".tar.gz",
          tgz({ name: "p", type, data }, run),
          "install-failed",
          /more than a megabyte of records/,
        );
        await refused(
          ".tar.gz",
          tgz({ name: "p", type, data, size: 2 ** 32 }, run),
          "install-failed",
          /record.* too large/,
        );
      }
    });

    it("is refused: a member with thousands of records, its own or those of the archive", async () => {
      const own = { name: "p", type: "x", data: records(5_000) };
      const everyones = { name: "p", type: "g", data: records(5_000) };
      await refused(".tar.gz", tgz(own, run), "install-failed", /more than 256 records/);
      const short = { name: "p", type: "x", data: record("mtime", "1.5") };
      await refused(".tar.gz", tgz(everyones, short, run), "install-failed", /more than 256 records/);
    });

    it("is refused: names and targets that together fill the memory", async () => {
      const link = (number: number): readonly TarMember[] => [
        { name: "L", type: "K", data: Buffer.concat([half, Buffer.from(String(number))]) },
        { name: `l${number}`, type: "2" },
      ];
      const members = Array.from({ length: 140 }, (_, number) => link(number)).flat();
      await refused(".tar", tarArchive(members), "unsafe-archive", /names of its members take more than/);
    });

    it("is refused: folders that are only implied", async () => {
      const names = Array.from({ length: 4 }, (_, number) => ({ name: `${number}/${"d/".repeat(40)}x`, data: "x" }));
      const limits = { maxBytes: 1000, maxEntries: 100 };
      await assert.rejects(extract(".tar.gz", tgz(...names), { limits }), /more than 100 members/);
      await assert.rejects(extract(".zip", zipArchive(names), { limits }), /more than 100 members/);
    });

    it("is refused: records that unpack to far more than there is", async () => {
      const comment = tarMember({ name: "p", type: "x", data: record("comment", "x".repeat(900 * 1024)) });
      const members = Array.from({ length: 90 }, (_, number) => [comment, tarMember({ name: String(number) })]).flat();
      await refused(".tar.gz", gzipSync(Buffer.concat(members)), "unsafe-archive", /times as large/);
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
