import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { Child } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { objectOf, parseObject } from "../support/json.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";

describe("lsp --stdio", () => {
  const scope = useTestScope();

  it("is a language server by the standard's life cycle, for the folder that the editor names", async () => {
    const folder = scope().use(await createCommandFolder());
    const words = [...conductorWords, "lsp", "--stdio"];
    const child = scope().use(new Child({ words, env: commandEnvironment(folder), cwd: folder.workspace }));
    let said = "";
    const send = (message: object): void => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      child.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    };
    // What is sent after the first answer, and after the second.
    const waiting = [
      [
        { method: "initialized", params: {} },
        { id: 2, method: "shutdown" },
      ],
      [{ method: "exit" }],
    ];
    child.process.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
      while (said.includes(`"id":${waiting.length === 2 ? 1 : 2},`) && waiting.length > 0)
        waiting.shift()?.forEach(send);
    });
    const rootUri = pathToFileURL(folder.workspace).href;
    send({ id: 1, method: "initialize", params: { processId: process.pid, rootUri, capabilities: {} } });
    assert.match(await child.exited, /ended with 0$/, child.stderrTail);
    const answers = said.split(/Content-Length: \d+\r\n\r\n/).filter((part) => part !== "");
    const { result } = parseObject(answers[0] ?? "");
    assert.deepEqual(objectOf(objectOf(result)["serverInfo"]), { name: "symposium-lsp" });
    assert.deepEqual(parseObject(answers[1] ?? ""), { jsonrpc: "2.0", id: 2, result: null });
  });
});
