import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { releaseScript, zedExtension } from "./release-scripts.js";

type Members = Readonly<Record<string, unknown>>;

const { registryEntry } = await releaseScript<{
  registryEntry: (version: string, checksums?: Readonly<Record<string, string>>) => Members;
}>("registry-entry.mjs");
const { registryProblems } = await releaseScript<{
  registryProblems: (entry: unknown, folderName: string) => readonly string[];
}>("registry-checks.mjs");
const { parseChecksums } = await releaseScript<{ parseChecksums: (text: string) => Members }>("checksums.mjs");
const root: unknown = JSON.parse(readFileSync(new URL("../package.json", zedExtension), "utf8"));
const { version } = root as { readonly version: string };

const entry = registryEntry(version);
const distribution = entry["distribution"] as Members;

function problemsOf(changes: Members, folderName = "symposium"): readonly string[] {
  return registryProblems({ ...entry, ...changes }, folderName);
}

function problemsOfTarget(changes: Members): readonly string[] {
  const target = { archive: "https://a.example/v1.0.0/x.tar.gz", cmd: "./x", ...changes };
  return problemsOf({ distribution: { binary: { "linux-x86_64": target } } });
}

describe("the registry's entry", () => {
  it("is what the table and the root version say", () => {
    assert.deepEqual(JSON.parse(readFileSync(new URL("registry/agent.json", zedExtension), "utf8")), entry);
  });

  it("passes the registry's checks", () => {
    assert.deepEqual(problemsOf({}), []);
  });

  it("carries the checksums of the archives that have been released", () => {
    const sha256 = "0".repeat(64);
    const checksums = { "symposium-linux-x64.tar.gz": sha256 };
    const { binary } = registryEntry(version, checksums)["distribution"] as {
      binary: Readonly<Record<string, Members>>;
    };
    assert.deepEqual(
      Object.entries(binary).filter(([, target]) => "sha256" in target),
      [["linux-x86_64", { ...binary["linux-x86_64"], sha256 }]],
    );
  });
});

describe("the registry's checks", () => {
  const refused: readonly [string, Members, string][] = [
    ["an id with capitals", { id: "Symposium" }, "id of the entry has to be lower-case letters, digits and -."],
    ["a version of two numbers", { version: "1.0" }, "version of the entry has to be three numbers."],
    ["a member that no entry has", { extensions: [] }, "the entry may have no extensions."],
    [
      "a repository that is no web address",
      { repository: "git@x" },
      "repository of the entry has to be an https address.",
    ],
    ["an empty distribution", { distribution: {} }, "distribution is empty."],
    ["a kind of its own", { distribution: { cargo: {} } }, "distribution.cargo is no kind of distribution."],
    [
      "a package of another version",
      { distribution: { npx: { package: "@a/b@9.9.9" } } },
      `distribution.npx.package names version 9.9.9, not ${version}.`,
    ],
    [
      "a package of no version",
      { distribution: { npx: { package: "@a/b" } } },
      `distribution.npx.package names version none, not ${version}.`,
    ],
    [
      "a platform that nobody has",
      { distribution: { binary: { "linux-x64": {} } } },
      "distribution.binary.linux-x64 is no platform.",
    ],
  ];
  for (const [what, changes, problem] of refused) {
    it(`refuse ${what}`, () => assert.deepEqual(problemsOf(changes), [problem]));
  }

  it("refuse an entry in a folder of another name", () => {
    assert.deepEqual(problemsOf({}, "other"), ['id is "symposium", and its folder "other".']);
  });

  it("refuse an entry without what it needs, and say all of it", () => {
    assert.deepEqual(registryProblems({ id: "a", name: "A", version: "1.0.0" }, "a"), [
      "the entry has no description.",
      "the entry has no distribution.",
    ]);
  });

  const where = "distribution.binary.linux-x86_64";
  const refusedTargets: readonly [string, Members, string][] = [
    ["an installer", { archive: "https://a.example/x.deb" }, `${where}.archive is an installer.`],
    [
      "an archive of no version",
      { archive: "https://a.example/latest/x.zip" },
      `${where}.archive is that of no version.`,
    ],
    [
      "an archive of another version",
      { archive: "https://a.example/releases/download/v9.9.9/x.zip" },
      `${where}.archive is that of 9.9.9, not ${version}.`,
    ],
    ["a command on PATH", { cmd: "x" }, `${where}.cmd has to begin with ./`],
    ["a command outside the archive", { cmd: "./../x" }, `${where}.cmd has to begin with ./`],
    ["a short checksum", { sha256: "abc" }, `sha256 of ${where} has to be 64 hexadecimal digits.`],
  ];
  for (const [what, changes, problem] of refusedTargets) {
    it(`refuse ${what}`, () => assert.deepEqual(problemsOfTarget(changes), [problem]));
  }

  it("look into the preview too", () => {
    assert.deepEqual(problemsOf({ preview: { version: "1.0.0-preview.1", distribution } }), [
      `distribution.npx.package names version ${version}, not 1.0.0-preview.1.`,
      ...Object.keys(distribution["binary"] as object).map(
        (platform) => `distribution.binary.${platform}.archive is that of ${version}, not 1.0.0-preview.1.`,
      ),
    ]);
  });
});

describe("the checksums of a release", () => {
  it("are read as sha256sum prints them", () => {
    const [one, two] = ["1".repeat(64), "2".repeat(64)];
    assert.deepEqual(parseChecksums(`${one}  a.zip\n${two} *dist/b.tar.gz\n`), { "a.zip": one, "b.tar.gz": two });
  });

  it("are refused with the line that is something else", () => {
    assert.throws(() => parseChecksums(`${"1".repeat(64)}  a.zip\nnot found\n`), /Line 2 is no checksum/);
  });
});
