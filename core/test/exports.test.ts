import assert from "node:assert/strict";

/** Names of what a module exports at run time; types leave no trace. */
async function exportsOf(path: string): Promise<string[]> {
  return Object.keys((await import(path)) as object).sort();
}

describe("the package's exports", () => {
  it("are these and no others, wherever it runs", async () => {
    assert.deepEqual(await exportsOf("@symposium-dev/core"), [
      "Conductor",
      "Connection",
      "Json",
      "LogFilter",
      "Logger",
      "Notification",
      "Outcome",
      "Request",
      "RpcError",
      "Scope",
      "SymposiumError",
      "ToolServer",
      "ask",
      "parseComponentSpec",
      "parseConfig",
      "renderTrace",
      "rpcErrorCodes",
    ]);
  });

  it("are these and no others where Node runs", async () => {
    assert.deepEqual(await exportsOf("@symposium-dev/core/node"), [
      "LoopbackMcpBridge",
      "Watchdog",
      "configFile",
      "configFolder",
      "endOnSignals",
      "openTraceFile",
      "readConfig",
      "serveOverStdio",
      "startProcess",
      "stdioChannel",
      "writeConfig",
    ]);
  });
});
