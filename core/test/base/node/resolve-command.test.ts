import assert from "node:assert/strict";
import { type CommandLookup, resolveCommand, systemLookup } from "../../../src/base/node/resolve-command.js";

const among = (files: readonly string[], lookup: Omit<CommandLookup, "isProgram">): CommandLookup => ({
  ...lookup,
  isProgram: (path) => files.includes(path),
});

describe("resolveCommand on POSIX", () => {
  const lookup = among(["/usr/bin/npx", "/opt/bin/npx", "/home/me/agent", "/home/me/bin/run"], {
    platform: "linux",
    path: "/nowhere:/opt/bin:/usr/bin",
    cwd: "/home/me",
  });

  it("takes the first folder of PATH that has the program", () => {
    assert.equal(resolveCommand("npx", lookup), "/opt/bin/npx");
  });

  it("takes a command with a slash as a path from the working folder", () => {
    assert.deepEqual(
      ["./agent", "bin/run", "/usr/bin/npx", "./npx"].map((command) => resolveCommand(command, lookup)),
      ["/home/me/agent", "/home/me/bin/run", "/usr/bin/npx", undefined],
    );
  });

  it("takes an empty PATH entry for the working folder", () => {
    assert.equal(resolveCommand("agent", lookup), undefined);
    assert.equal(resolveCommand("agent", { ...lookup, path: "/usr/bin:" }), "/home/me/agent");
  });

  it("finds nothing for an empty command", () => assert.equal(resolveCommand("", lookup), undefined));
});

describe("resolveCommand on Windows", () => {
  const lookup = among(
    ["C:\\node\\npx.cmd", "C:\\node\\npx", "C:\\node\\node.exe", "C:\\work\\agent.exe", "C:\\work\\tool.v2.bat"],
    { platform: "win32", path: ';"C:\\node";C:\\other', pathExt: ".COM;.EXE;.BAT;.CMD", cwd: "C:\\work" },
  );

  it("appends the extensions of PATHEXT and passes over a file without one", () => {
    assert.equal(resolveCommand("npx", lookup), "C:\\node\\npx.cmd");
    assert.equal(resolveCommand("node.exe", lookup), "C:\\node\\node.exe");
  });

  it("uses the usual extensions when PATHEXT is not set", () => {
    assert.equal(resolveCommand("npx", { ...lookup, pathExt: undefined }), "C:\\node\\npx.cmd");
  });

  it("searches the working folder for paths only", () => {
    assert.equal(resolveCommand("agent", lookup), undefined);
    assert.equal(resolveCommand(".\\agent", lookup), "C:\\work\\agent.exe");
    assert.equal(resolveCommand("./tool.v2", lookup), "C:\\work\\tool.v2.bat");
    assert.equal(resolveCommand("C:\\work\\agent", lookup), "C:\\work\\agent.exe");
  });
});

describe("systemLookup", () => {
  it("finds the program that runs this test, and no folder", () => {
    assert.equal(resolveCommand(process.execPath, systemLookup()), process.execPath);
    assert.equal(resolveCommand(process.cwd(), systemLookup()), undefined);
  });
});
