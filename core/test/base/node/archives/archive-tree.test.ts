import assert from "node:assert/strict";
import type { SymposiumError } from "../../../../src/base/symposium-error.js";
import { type ArchiveEntry, ArchiveTree, type PlacedLink } from "../../../../src/base/node/archives/archive-tree.js";
import type { NamePlatform } from "../../../../src/base/node/archives/name-rules.js";

const file = (name: string, mode?: number): ArchiveEntry => ({
  name,
  kind: "file",
  ...(mode !== undefined && { mode }),
});
const folder = (name: string): ArchiveEntry => ({ name, kind: "folder" });
const symlink = (name: string, target: string): ArchiveEntry => ({ name, kind: "symlink", target });
const hardlink = (name: string, target: string): ArchiveEntry => ({ name, kind: "hardlink", target });

function links(entries: readonly ArchiveEntry[], platform: NamePlatform = "posix"): readonly PlacedLink[] {
  const tree = new ArchiveTree(platform, 1000);
  for (const entry of entries) tree.place(entry);
  return tree.links();
}

function refused(entries: readonly ArchiveEntry[], message: RegExp, platform: NamePlatform = "posix"): void {
  assert.throws(
    () => links(entries, platform),
    (error: SymposiumError) => error.code === "unsafe-archive" && message.test(error.message),
    `${JSON.stringify(entries)} on ${platform}`,
  );
}

describe("ArchiveTree", () => {
  it("places files and folders, with backslashes as separators and without the parts that mean nothing", () => {
    const tree = new ArchiveTree("posix", 1000);
    const placed = [folder("./"), folder("a//b/"), file("./a/b/run", 0o104755), file(String.raw`a\c.txt`, 0o644)];
    assert.deepEqual(
      placed.map((entry) => tree.place(entry)),
      [
        undefined,
        { kind: "folder", path: ["a", "b"] },
        { kind: "file", path: ["a", "b", "run"], isExecutable: true },
        { kind: "file", path: ["a", "c.txt"], isExecutable: false },
      ],
    );
  });

  for (const name of ["../x", "a/../../x", "a/..", String.raw`..\x`, String.raw`a\..\..\x`, "./../x"]) {
    it(`refuses the member ${name}, which leads out`, () => refused([file(name)], /leads out of its folder/));
  }

  for (const name of [
    "/etc/passwd",
    String.raw`\x`,
    "//server/share/x",
    String.raw`\\server\x`,
    "C:/x",
    "c:x",
    String.raw`C:\x`,
  ]) {
    it(`refuses the member ${name}, which is absolute`, () => refused([file(name)], /absolute path/));
  }

  for (const name of ["a\0b", "a\nb", "\x1b[2J", "a/\x7f"]) {
    it(`refuses the member ${JSON.stringify(name)} with a control character`, () => {
      refused([file(name)], /control character/);
    });
  }

  for (const name of ["", ".", "./", "a/.."]) {
    it(`refuses a file named ${JSON.stringify(name)}`, () => refused([file(name)], /has no usable name|leads out/));
  }

  for (const name of ["NUL", "con.txt", "a/AUX", "com1", "lpt9.log", "COM¹", "con .txt", "conout$", "clock$"]) {
    it(`refuses ${name} on Windows, where it is a device`, () => {
      refused([file(name)], /is a device name/, "windows");
      assert.deepEqual(links([file(name)]), []);
    });
  }

  for (const name of ["a.", "a ", "a./b", "run.exe:stream", "a<b", 'a"b', "a|b", "a?b", "a*b"]) {
    it(`refuses ${JSON.stringify(name)} on Windows, which would make something else of it`, () => {
      refused([file(name)], /Windows/, "windows");
    });
  }

  it("refuses two files that differ in case only, also in folders that do", () => {
    refused([file("run"), file("RUN")], /clashes with the file "run"/);
    refused([file("a/run"), file("A/Run")], /clashes/);
    refused([file("straße"), file("STRASSE")], /clashes/);
    refused([file("caf\u00e9"), file("cafe\u0301")], /clashes/);
    assert.deepEqual(links([folder("a"), folder("A"), file("a/x"), file("A/y")]), []);
  });

  it("refuses a member that stands twice, or where something else stands", () => {
    refused([file("run"), file("run")], /clashes/);
    refused([file("a"), file("a/b")], /clashes with the file "a"/);
    refused([file("a/b"), file("a")], /clashes with the folder "a"/);
    refused([folder("a"), symlink("a", "b")], /clashes/);
  });

  it("refuses whatever lies below a link, before and after it", () => {
    refused([symlink("a", "b"), file("a/x")], /clashes with the symlink "a"/);
    refused([symlink("a", "."), file("A/x")], /clashes with the symlink "a"/);
    refused([file("a/x"), symlink("a", "b")], /clashes/);
  });

  it("keeps links that stay inside, and says what they lead to", () => {
    const entries = [
      file("lib/v2/core"),
      symlink("lib/current", "v2"),
      symlink("bin/core", "../lib/current/core"),
      symlink("gone", "lib/none"),
      symlink("loop", "loop"),
    ];
    assert.deepEqual(links(entries), [
      { path: ["lib", "current"], target: "v2", leadsTo: ["lib", "v2"] },
      { path: ["bin", "core"], target: "../lib/current/core", leadsTo: ["lib", "v2", "core"] },
      { path: ["gone"], target: "lib/none", leadsTo: undefined },
      { path: ["loop"], target: "loop", leadsTo: undefined },
    ]);
  });

  for (const target of [
    "..",
    "../x",
    "a/../../x",
    "/etc/passwd",
    "C:/x",
    String.raw`..\x`,
    "",
    String.raw`\\server\x`,
  ]) {
    it(`refuses a link to ${JSON.stringify(target)}`, () => refused([symlink("l", target)], /leads outside/));
  }

  it("refuses a link that leads out through another, in any order", () => {
    const up = symlink("d/up", "..");
    refused([up, symlink("out", "d/up/../x")], /leads outside/);
    refused([symlink("out", "d/up/../x"), up], /leads outside/);
    refused([symlink("d/e/f", "../../g"), symlink("g", "d"), symlink("out", "d/e/f/../../x")], /leads outside/);
    refused([symlink("a", "none"), symlink("out", "a/b/../../../x")], /leads outside/);
  });

  it("keeps a hard link to a file of the archive, and refuses all others", () => {
    const tree = new ArchiveTree("posix", 1000);
    tree.place(file("a/x"));
    assert.deepEqual(tree.place(hardlink("y", "./a/x")), { kind: "hardlink", path: ["y"], source: ["a", "x"] });
    refused([hardlink("y", "x")], /isn't a file in the archive/);
    refused([hardlink("y", "../x")], /leads out/);
    refused([hardlink("y", "/etc/passwd")], /absolute/);
    refused([symlink("s", "x"), file("x"), hardlink("y", "s")], /isn't a file in the archive/);
    refused([folder("d"), hardlink("y", "d")], /isn't a file in the archive/);
  });

  it("refuses devices", () => refused([{ name: "null", kind: "device" }], /device/));

  it("refuses more members, more bytes and deeper paths than it may", () => {
    const small = new ArchiveTree("posix", 1000, { maxBytes: 10, maxEntries: 2 });
    small.count(10);
    assert.throws(() => small.count(1), /larger than 10 bytes/);
    small.place(folder("a"));
    small.place(folder("b"));
    assert.throws(() => small.place(folder("c")), /more than 2 members/);
    refused([folder("a/".repeat(65))], /64 folders deep/);
  });

  it("refuses content that is far larger than the archive, unless it is small", () => {
    const bomb = new ArchiveTree("posix", 100_000);
    bomb.count(64 * 1024 ** 2);
    assert.throws(() => bomb.count(1), /200 times as large/);
    const program = new ArchiveTree("posix", 20_000_000);
    program.count(200_000_000);
  });
});
