import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { vsCodeSignInTerminal } from "../../../src/features/authentication/vscode-sign-in-terminal.js";
import { startsTerminals } from "./terminal-backend.js";

describe("the terminal of a sign-in", () => {
  let folder: string;

  before(function () {
    if (!startsTerminals()) this.skip();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sign-in-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const run = (script: string, signal = new AbortController().signal): Promise<number | undefined> => {
    const env = { ELECTRON_RUN_AS_NODE: "1", RESULT: join(folder, "result") };
    return vsCodeSignInTerminal.run("Sign in", { command: process.execPath, args: ["-e", script], env }, signal);
  };

  it("runs the command itself in a terminal, with its environment", async () => {
    const script = "require('fs').writeFileSync(process.env.RESULT, String(process.stdin.isTTY))";
    assert.equal(await run(script), 0);
    assert.equal(await readFile(join(folder, "result"), "utf8"), "true");
  });

  it("tells the exit code", async () => {
    assert.equal(await run("process.exit(7)"), 7);
  });

  it("is closed when nobody waits for it any more", async () => {
    const controller = new AbortController();
    const opened = new Promise<void>((resolve) => {
      const listening = vscode.window.onDidOpenTerminal(() => {
        listening.dispose();
        resolve();
      });
    });
    const code = run("setInterval(() => {}, 1000)", controller.signal);
    await opened;
    controller.abort();
    await code;
    assert.deepEqual(
      vscode.window.terminals.filter(({ name }) => name === "Sign in"),
      [],
    );
  });
});
