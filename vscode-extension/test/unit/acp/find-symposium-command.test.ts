import assert from "node:assert/strict";
import { SymposiumError } from "@symposium-dev/core";
import {
  type SymposiumCommandSearch,
  findSymposiumCommand,
  inheritedEnvironment,
} from "../../../src/acp/find-symposium-command.js";

function search(files: readonly string[], more: Partial<SymposiumCommandSearch> = {}): SymposiumCommandSearch {
  return {
    configuredPath: "",
    bundledFolders: ["/extension/bin"],
    env: { PATH: "/usr/bin:/opt/bin" },
    platform: "linux",
    arch: "x64",
    execPath: "/editor/node",
    isFile: (path) => files.includes(path),
    ...more,
  };
}

const script = "/extension/bin/symposium-acp-agent.cjs";
const native = "/extension/bin/linux-x64/symposium-acp-agent";
const onPath = "/opt/bin/symposium-acp-agent";

describe("finding the command", () => {
  it("prefers the configured path, then the bundled one, then PATH", () => {
    const all = ["/mine/agent", native, script, onPath];
    const found = (files: readonly string[], configuredPath = ""): string | undefined => {
      const { command, args } = findSymposiumCommand(search(files, { configuredPath }));
      return args[0] ?? command;
    };
    assert.deepEqual(
      [found(all, "/mine/agent"), found(all), found([script, onPath]), found([onPath])],
      ["/mine/agent", native, script, onPath],
    );
  });

  it("runs a script with the editor's own runtime", () => {
    assert.deepEqual(findSymposiumCommand(search([script])), {
      command: "/editor/node",
      args: [script],
      env: { ELECTRON_RUN_AS_NODE: "1" },
    });
  });

  it("names a configured path that leads nowhere instead of passing it over", () => {
    assert.throws(() => findSymposiumCommand(search([script], { configuredPath: "/gone" })), {
      message: `The setting symposium.acpAgentPath is "/gone", but this file doesn't exist.`,
      hint: "Correct it, or clear it to use the command included in the extension.",
    });
  });

  it("says what to do when there is none", () => {
    assert.throws(
      () => findSymposiumCommand(search([])),
      (error) => error instanceof SymposiumError && /symposium\.acpAgentPath/.test(error.hint ?? ""),
    );
  });

  it("knows the names that programs have on Windows", () => {
    const options = { platform: "win32", env: { Path: "C:\\tools;C:\\npm" } };
    const command = "C:\\npm\\symposium-acp-agent.cmd";
    assert.equal(findSymposiumCommand(search([command], options)).command, command);
  });
});

describe("what agents inherit of the editor's environment", () => {
  it("is everything but what steers the editor", () => {
    const env = { PATH: "/bin", VSCODE_PID: "1", ELECTRON_RUN_AS_NODE: "1", NODE_OPTIONS: "--inspect", HOME: "/me" };
    assert.deepEqual(inheritedEnvironment(env), { PATH: "/bin", HOME: "/me" });
  });
});
