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
      "Fault",
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
      "agentActionTool",
      "announcedIdeOperations",
      "answerIdeRequest",
      "ask",
      "compareLocations",
      "comparePositions",
      "fileUri",
      "ideOperationMethod",
      "ideOperationNames",
      "ideOperationPrefix",
      "ideOperationReaders",
      "ideOperationsCapability",
      "ideOperationsKey",
      "ideOperationsVersion",
      "ideRequestHandlers",
      "isIdeOperationName",
      "lmMethods",
      "maxIdeItems",
      "messageOf",
      "notSupported",
      "operationsOf",
      "parseComponentSpec",
      "parseConfig",
      "pathOfFileUri",
      "renderTrace",
      "rpcErrorCodes",
      "symbolKinds",
      "upstreamIdeOperations",
      "withIdeOperations",
      "worstState",
    ]);
  });

  it("are these and no others where Node runs", async () => {
    assert.deepEqual(await exportsOf("@symposium-dev/core/node"), [
      "LoopbackMcpBridge",
      "StderrTail",
      "Watchdog",
      "atomicWrite",
      "configFile",
      "configFolder",
      "endOnSignals",
      "openTraceFile",
      "processTree",
      "readConfig",
      "readProcessTable",
      "resolveCommand",
      "serveOverStdio",
      "startProcess",
      "stdioChannel",
      "systemLookup",
      "toProgram",
      "writeConfig",
    ]);
  });
});
