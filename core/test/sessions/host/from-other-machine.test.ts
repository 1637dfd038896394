import assert from "node:assert/strict";
import { Request } from "../../../src/base/rpc/message.js";
import { fromOtherMachine, refusalFromOtherMachine } from "../../../src/sessions/host/from-other-machine.js";
import { HostStage } from "./host-stage.js";

function changed(method: string, params: object, folder?: string): unknown {
  return fromOtherMachine(Request.of(method, params), folder).params?.value;
}

describe("a request from another machine", () => {
  it("names no capability of the client's machine", () => {
    const clientCapabilities = {
      fs: { readTextFile: true },
      terminal: true,
      auth: { terminal: true },
      elicitation: { form: {} },
      _meta: { "terminal-auth": true, "symposium/ideOperations": { version: 1 }, other: 1 },
    };
    assert.deepEqual(changed("initialize", { protocolVersion: 1, clientCapabilities }), {
      protocolVersion: 1,
      clientCapabilities: { elicitation: { form: {} }, _meta: { other: 1 } },
    });
  });

  it("has the folder of the machine that runs the session", () => {
    const params = { cwd: "/home/me", additionalDirectories: ["/home/you"], mcpServers: [] };
    for (const method of ["session/new", "session/load", "session/resume"]) {
      assert.deepEqual(changed(method, params, "/srv/project"), { cwd: "/srv/project", mcpServers: [] });
      assert.deepEqual(changed(method, params), params);
    }
    assert.deepEqual(changed("session/list", { cwd: "/home/me" }, "/srv/project"), { cwd: "/srv/project" });
    assert.deepEqual(changed("session/list", {}, "/srv/project"), {});
    const prompt = { sessionId: "s", prompt: [] };
    assert.deepEqual(changed("session/prompt", prompt, "/srv/project"), prompt);
  });

  it("starts no MCP server of the client's machine", () => {
    const acp = { type: "acp", id: "1", name: "mine" };
    const mcpServers = [
      { name: "files", command: "npx", args: [], env: [] },
      acp,
      { type: "http", name: "h", url: "u" },
    ];
    assert.deepEqual(changed("session/new", { cwd: "/w", mcpServers }), { cwd: "/w", mcpServers: [acp] });
  });

  it("is adapted before the conductor gets it, and files are read on the machine of the session", async () => {
    const stage = new HostStage();
    const client = await stage.open(
      {},
      { remote: { folder: "/srv/project" }, capabilities: { fs: { readTextFile: true } } },
    );
    assert.equal([...stage.host.sessions()][0]?.folder, "/srv/project");
    assert.deepEqual(stage.conductor.peer.received[0]?.params?.value, { protocolVersion: 1 });
    void client.prompt("read");
    const read = Request.of("fs/read_text_file", { sessionId: "s1", path: "/srv/project/a" });
    const answer = await new Promise((resolve) => stage.conductor.client.request(read, resolve));
    assert.deepEqual([stage.disk.length, answer !== undefined], [1, true]);
  });
});

describe("a line from another machine", () => {
  it("is refused if it would use this machine's files, terminals or editor, in whatever spelling", () => {
    const refusalOf = (line: string): unknown => {
      const refusal = refusalFromOtherMachine(line);
      return refusal === undefined ? undefined : (JSON.parse(refusal) as object);
    };
    for (const method of ["fs/read_text_file", "terminal/create", "_symposium/ideOperations/references"]) {
      const line = JSON.stringify({ jsonrpc: "2.0", id: "a-1", method, params: {} });
      assert.deepEqual(refusalOf(line), {
        jsonrpc: "2.0",
        id: "a-1",
        error: { code: -32601, message: `Method not found: ${method}` },
      });
    }
    const refused = (line: string): boolean => refusalFromOtherMachine(line) !== undefined;
    assert.ok(refused('{"id":1,"method":"fs\\/read_text_file","params":{}}'));
    assert.ok(refused('{"id":1,"meth\\u006fd":"terminal/create","params":{}}'));
    assert.ok(refused('[{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{}}]'));
    assert.ok(refused('{"method":"fs/write_text_file","params":{}}'));
  });

  it("passes otherwise", () => {
    for (const line of [
      '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"title":"fs/read_text_file"}}}',
      '{"jsonrpc":"2.0","id":3,"method":"session/request_permission","params":{}}',
      '{"jsonrpc":"2.0","id":1,"result":{"method":"fs/read_text_file"}}',
    ]) {
      assert.equal(refusalFromOtherMachine(line), undefined);
    }
  });
});
