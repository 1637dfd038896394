import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { archiveFormat } from "../../../../src/base/node/archives/unpack.js";
import { paxMember, tarArchive, tarMember, zipArchive, type ZipMember } from "../../../agents/install/archive-bytes.js";
import { treeOf } from "../../../agents/install/install-fixture.js";
import { tgz, UnpackStage } from "../../../agents/install/unpack-stage.js";

const run = { name: "run", data: "#!/bin/sh\n", mode: 0o755 };
const zipRun: ZipMember = { name: "run", data: "#!/bin/sh\n", mode: 0o100755 };
/** The tar archive of a file "run" with the text "hello\n", as Python compresses it. */
const helloBzip2 =
  "QlpoOTFBWSZTWfiqbjkAAHF7gMmQAARAAE+AAAJiRZ4ACAggAFRCaEyYTAJ6aCSmoMQyBiaH1IjIQPxQhGlpQJ6xegQ4LMTwEzhHLICs70qMt4J7T80Vw1ppIiIgHRdyRThQkPiqbjk=";

describe("unpack", () => {
  let stage: UnpackStage;
  let root = "";
  beforeEach(async () => {
    stage = await UnpackStage.open();
    ({ root } = stage);
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const extract: UnpackStage["extract"] = (...words) => stage.extract(...words);
  const refused: UnpackStage["refused"] = (...words) => stage.refused(...words);

  it("unpacks .tar.gz with files, folders, links, long names and permissions, but no special bits", async () => {
    const long = `${"long/".repeat(30)}name`;
    const archive = tgz(
      { name: "dir/", type: "5", mode: 0o777 },
      { name: "dir/data", data: "data", mode: 0o6644 },
      { ...run, mode: 0o4755 },
      { name: "again", type: "1", target: "run" },
      { name: "link", type: "2", target: "dir/data" },
      ...paxMember({ path: "ünï", mtime: "1.5" }, { name: "x", data: "pax" }),
      { name: "././@LongLink", type: "L", data: `${long}\0` },
      { name: long.slice(0, 100), data: "long" },
      { name: "tail", prefix: "dir/prefixed", data: "prefix" },
    );
    assert.equal(await extract(".tar.gz", archive), "run");
    const tree = await treeOf(root);
    assert.deepEqual(
      ["dir/data", "run", "again", "link", "ünï", long, "dir/prefixed/tail"].map((path) => tree[path]),
      ["data", run.data, run.data, "-> dir/data", "pax", "long", "prefix"],
    );
    const modes = await Promise.all(
      ["run", "dir/data", "dir"].map(async (name) => (await stat(join(root, name))).mode & 0o7777),
    );
    assert.deepEqual(
      modes.map((mode) => mode & 0o7700),
      [0o700, 0o600, 0o700],
    );
  });

  it("unpacks .tgz, .tar.bz2, .tbz2 and .tar", async () => {
    const bzip2 = Buffer.from(helloBzip2, "base64");
    for (const [ending, archive] of [
      [".tgz", tgz(run)],
      [".tar", tarArchive([run])],
      [".tar.bz2", bzip2],
      [".tbz2", bzip2],
    ] as const) {
      await extract(ending, archive);
      assert.ok((await treeOf(root))["run"] !== undefined, ending);
    }
    assert.equal((await treeOf(root))["run"], "hello\n");
  });

  it("unpacks .zip, stored and deflated, with links and without permissions", async () => {
    const archive = zipArchive([
      { name: "dir/" },
      { name: "dir/data", data: "x".repeat(100_000), isStored: true },
      { name: String.raw`win\data`, data: "backslash" },
      { name: "run", data: "#!/bin/sh\n" },
      { name: "link", data: "dir/data", mode: 0o120777 },
    ]);
    assert.equal(await extract(".zip", archive), "run");
    const tree = await treeOf(root);
    assert.deepEqual([tree["win/data"], tree["link"], tree["dir/data"]?.length], ["backslash", "-> dir/data", 100_000]);
    assert.equal((await stat(join(root, "run"))).mode & 0o700, 0o700);
  });

  it("puts a raw program where the entry says, executable", async () => {
    assert.equal(await extract("", Buffer.from(run.data), { program: "bin/tool" }), "bin/tool");
    assert.equal((await stat(join(root, "bin/tool"))).mode & 0o700, 0o700);
  });

  const hostileNames = [
    "../x",
    "../../x",
    "a/../../x",
    "/tmp/symposium-escape",
    String.raw`..\x`,
    String.raw`\x`,
    "C:/x",
    String.raw`C:\x`,
    "c:x",
  ];
  for (const name of hostileNames) {
    it(`refuses the member ${name} of a tar and of a zip`, async () => {
      await refused(".tar.gz", tgz(run, { name, data: "evil" }), "unsafe-archive", /./);
      await refused(".tar.gz", tgz({ name, type: "5" }), "unsafe-archive", /./);
      await refused(".tar.gz", tgz(...paxMember({ path: name }, { name: "ok", data: "evil" })), "unsafe-archive", /./);
      await refused(".zip", zipArchive([zipRun, { name, data: "evil" }]), "unsafe-archive", /./);
    });
  }

  for (const target of ["..", "../x", "../../canary", "/etc", "/etc/passwd", "a/../../x", String.raw`..\..`]) {
    it(`refuses a link to ${target}, with and without a file behind it`, async () => {
      const link = { name: "link", type: "2", target };
      await refused(".tar.gz", tgz(run, link), "unsafe-archive", /leads outside/);
      await refused(
        ".tar.gz",
        tgz(run, link, { name: "link/x", data: "evil" }),
        "unsafe-archive",
        /clashes|leads outside/,
      );
      await refused(
        ".tar.gz",
        tgz(...paxMember({ linkpath: target }, { name: "l", type: "2", target: "run" })),
        "unsafe-archive",
        /leads outside/,
      );
      await refused(".tar.gz", tgz(run, { name: "hard", type: "1", target }), "unsafe-archive", /./);
      await refused(
        ".zip",
        zipArchive([zipRun, { name: "link", data: target, mode: 0o120777 }]),
        "unsafe-archive",
        /leads outside/,
      );
      await refused(
        ".zip",
        zipArchive([
          { name: "link", data: target, mode: 0o120777 },
          { name: "link/x", data: "evil" },
        ]),
        "unsafe-archive",
        /clashes|leads outside/,
      );
    });
  }

  it("never writes through a link, also to one that stays inside", async () => {
    const chain = [
      { name: "a", type: "2", target: "b" },
      { name: "b", type: "2", target: ".." },
    ];
    await refused(".tar.gz", tgz(...chain, { name: "a/x", data: "evil" }), "unsafe-archive", /clashes/);
    await refused(
      ".tar.gz",
      tgz({ name: "d", type: "2", target: "." }, { name: "D/x", data: "evil" }),
      "unsafe-archive",
      /clashes/,
    );
    await refused(".tar.gz", tgz({ name: "run", type: "2", target: "x" }, run), "unsafe-archive", /clashes/);
  });

  for (const type of ["3", "4", "6", "S", "V", "?"]) {
    it(`refuses a member of tar's type ${type}`, () =>
      refused(".tar.gz", tgz(run, { name: "dev", type }), "unsafe-archive", /device/));
  }

  it("refuses devices and pipes of a zip", async () => {
    for (const mode of [0o010644, 0o020644, 0o060644, 0o140644]) {
      await refused(".zip", zipArchive([zipRun, { name: "dev", mode }]), "unsafe-archive", /device/);
    }
  });

  it("refuses names that differ in case only, and names that stand twice", async () => {
    await refused(".tar.gz", tgz(run, { name: "RUN", data: "evil" }), "unsafe-archive", /clashes/);
    await refused(".zip", zipArchive([zipRun, { name: "Run", data: "evil" }]), "unsafe-archive", /clashes/);
    await refused(".zip", zipArchive([zipRun, zipRun]), "unsafe-archive", /clashes/);
  });

  it("refuses bombs before they are unpacked", async () => {
    const zeros = Buffer.alloc(80 * 1024 ** 2);
    await refused(".tar.gz", tgz({ name: "zeros", data: zeros }), "unsafe-archive", /times as large/);
    await refused(".zip", zipArchive([{ name: "zeros", data: zeros }]), "unsafe-archive", /times as large/);
    const limits = { maxBytes: 100, maxEntries: 3 };
    const entries = ["a", "b", "c", "d"].map((name) => ({ name }));
    await assert.rejects(extract(".tar.gz", tgz(...entries), { limits }), /more than 3 members/);
    await assert.rejects(extract(".zip", zipArchive(entries), { limits }), /more than 3 members/);
    await assert.rejects(extract(".tar.gz", tgz({ name: "a", data: "x".repeat(101) }), { limits }), /larger than 100/);
  });

  it("refuses a zip member that is larger, or other, than its directory says", async () => {
    await refused(
      ".zip",
      zipArchive([{ name: "a", data: "x".repeat(5000), size: 10 }]),
      "install-failed",
      /cannot be unpacked/,
    );
    await refused(".zip", zipArchive([{ name: "a", data: "abc", crc: 1 }]), "install-failed", /damaged/);
    await refused(".zip", zipArchive([{ name: "a", data: "abc", flags: 1 }]), "install-failed", /encrypted/);
  });

  it("refuses archives that are damaged, cut off or something else", async () => {
    const good = tgz(run);
    await refused(".tar.gz", good.subarray(0, good.length - 20), "install-failed", /cannot be unpacked/);
    const padded = Buffer.concat([tarArchive([run]), Buffer.alloc(3 * 1024 ** 2)]);
    await refused(".tar.gz", gzipSync(padded), "install-failed", /continues after its end/);
    await refused(".tar.gz", Buffer.from("<!doctype html>"), "install-failed", /cannot be unpacked/);
    await refused(".tar.gz", gzipSync(good), "install-failed", /isn't a tar archive|within a header/);
    await refused(
      ".tar",
      tarMember({ name: "run", data: "x".repeat(600) }).subarray(0, 900),
      "install-failed",
      /ends within/,
    );
    await refused(
      ".tar",
      tarArchive([{ name: "l", type: "2", target: "x", size: 512 }]),
      "install-failed",
      /impossible size/,
    );
    await refused(".zip", Buffer.from("<!doctype html>"), "install-failed", /cannot be unpacked/);
    await refused(".tar.bz2", Buffer.from("BZh9<!doctype html>"), "install-failed", /damaged/);
  });

  it("refuses a program that is not in the archive, is a folder, or lies outside", async () => {
    const tries = [
      ["./none", /does not contain the program/],
      ["dir", /does not contain the program/],
      ["../x", /lies outside/],
      ["/bin/sh", /absolute/],
    ] as const;
    for (const [program, message] of tries) {
      await assert.rejects(extract(".tar.gz", tgz({ name: "dir/", type: "5" }, run), { program }), message);
    }
  });

  it("takes long names in GNU's form, up to what a path may have", async () => {
    const long = `${"n".repeat(200)}/${"m".repeat(200)}`;
    const archive = tgz(
      run,
      { name: "././@LongLink", type: "L", data: `${long}\0` },
      { name: "x", data: "long" },
      { name: "././@LongLink", type: "K", data: `${long}\0` },
      { name: "link", type: "2", target: "x" },
    );
    await extract(".tar.gz", archive);
    const tree = await treeOf(root);
    assert.deepEqual([tree[long], tree["link"]], ["long", `-> ${long}`]);
  });

  it("stops when it is cancelled", async () => {
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await assert.rejects(extract(".tar.gz", tgz(run), { signal: controller.signal }), /enough/);
  });
});

describe("archiveFormat", () => {
  it("goes by the end of the path, whatever follows it", () => {
    const urls = ["a.zip", "a.tar.gz?x=1#y", "A.TGZ", "a.tar.bz2", "a.tbz2", "a.exe", "a-1.0", "a.tar"];
    assert.deepEqual(
      urls.map((url) => archiveFormat(`https://example.com/${url}`)),
      ["zip", "tar.gz", "tar.gz", "tar.bz2", "tar.bz2", "program", "program", "tar"],
    );
  });

  it("refuses installers and what it cannot read", () => {
    for (const ending of ["dmg", "pkg", "deb", "rpm", "msi", "AppImage", "tar.xz", "7z", "gz"]) {
      assert.throws(() => archiveFormat(`https://example.com/a.${ending}`), /can't be unpacked/);
    }
  });
});
