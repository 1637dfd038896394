import assert from "node:assert/strict";
import type { Command } from "../../../src/base/command.js";
import {
  signInCommand,
  type TerminalSignIn,
  terminalSignIns,
  withOwnSignIn,
  withTerminalAuth,
} from "../../../src/conductor/chain/sign-in.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Outcome } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";

const method: TerminalSignIn = { id: "login", name: "Log in", args: ["login", "-v"], env: { B: "method" } };

describe("terminalSignIns", () => {
  it("reads the methods of type terminal and leaves out what it cannot use", () => {
    const authMethods = [
      { id: "a", name: "A", type: "terminal", args: ["x", 1, "y"], env: { N: "v", M: 2 } },
      { id: "b", type: "terminal" },
      { id: "c", name: "C" },
      { name: "no id", type: "terminal" },
      "text",
    ];
    assert.deepEqual(terminalSignIns({ authMethods }), [
      { id: "a", name: "A", args: ["x", "y"], env: { N: "v" } },
      { id: "b", name: "b", args: [], env: {} },
    ]);
  });

  it("finds none where there are none", () => {
    assert.deepEqual([null, {}, { authMethods: null }, []].map(terminalSignIns), [[], [], [], []]);
  });
});

describe("signInCommand", () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["opencode", ["acp"], []],
    ["/usr/bin/npx", ["-y", "pkg@1", "--acp"], ["-y", "pkg@1"]],
    ["C:\\node\\npx.CMD", ["pkg"], ["pkg"]],
    ["npx", ["-y", "--package", "pkg@1", "bin", "acp"], ["-y", "--package", "pkg@1", "bin"]],
    ["npx", ["--package=pkg@1", "bin", "acp"], ["--package=pkg@1", "bin"]],
    ["uvx", ["--from", "pkg==1", "bin", "acp"], ["--from", "pkg==1", "bin"]],
    ["uvx", ["pkg@1", "acp"], ["pkg@1"]],
    ["pipx", ["run", "pkg", "acp"], ["run", "pkg"]],
    ["pipx", ["run", "--spec", "pkg==1", "bin", "acp"], ["run", "--spec", "pkg==1", "bin"]],
    ["node", ["--enable-source-maps", "agent.js", "--acp"], ["--enable-source-maps", "agent.js"]],
    ["python3", ["-m", "agent", "acp"], ["-m", "agent"]],
    ["npx", [], []],
  ];
  for (const [command, args, kept] of cases) {
    it(`keeps of "${command} ${args.join(" ")}" what finds the agent`, () => {
      const agent: Command = { command, args, env: { A: "agent", B: "agent" }, cwd: "/w" };
      assert.deepEqual(signInCommand(agent, method), {
        command,
        args: [...kept, "login", "-v"],
        env: { A: "agent", B: "method" },
        cwd: "/w",
      });
    });
  }
});

describe("withOwnSignIn", () => {
  const argsFor = (id: string): string[] => ["sign-in", id];

  it("leads terminal methods back to us and keeps every other character", () => {
    const text =
      '{"protocolVersion":1.0,"authMethods":[{"id":"k","name":"Key"},{"args":["x"],"id":"t","type":"terminal","env":{"A":"1"},"_meta":{"n":1.0}}],"big":18446744073709551615}';
    assert.equal(
      withOwnSignIn(Outcome.result(Json.ofText(text)), argsFor).json.text,
      '{"protocolVersion":1.0,"authMethods":[{"id":"k","name":"Key"},{"args":["sign-in","t"],"id":"t","type":"terminal","env":{},"_meta":{"n":1.0}}],"big":18446744073709551615}',
    );
  });

  it("is the same outcome where there is no terminal method", () => {
    const outcomes = [
      Outcome.of({ authMethods: [{ id: "k", name: "Key" }] }),
      Outcome.of({ authMethods: null }),
      Outcome.of(null),
      Outcome.error(RpcError.internal("no")),
    ];
    assert.deepEqual(
      outcomes.map((outcome) => withOwnSignIn(outcome, argsFor) === outcome),
      [true, true, true, true],
    );
  });

  it("leaves a terminal method without an id alone", () => {
    const method = { type: "terminal", args: ["x"] };
    assert.deepEqual(withOwnSignIn(Outcome.of({ authMethods: [method] }), argsFor).json.value, {
      authMethods: [method],
    });
  });
});

describe("withTerminalAuth", () => {
  const self = { command: "/bin/node", args: ["/opt/agent.mjs"], env: { A: "1" } };

  it("gives terminal methods the whole command, and keeps every other character", () => {
    const text =
      '{"big":18446744073709551615,"authMethods":[{"id":"k","name":"Key"},{"type":"terminal","id":"t","args":["x"],"env":{"B":"2"}}]}';
    const meta =
      '"_meta":{"terminal-auth":{"label":"t","command":"/bin/node","args":["/opt/agent.mjs","x"],"env":{"A":"1","B":"2"}}}';
    assert.equal(
      withTerminalAuth(Outcome.result(Json.ofText(text)), self).json.text,
      text.replace('{"type":"terminal"', `{${meta},"type":"terminal"`),
    );
  });

  it("leaves what the agent has given itself, and other outcomes", () => {
    const method = { type: "terminal", id: "t", _meta: { "terminal-auth": { command: "mine" } } };
    assert.deepEqual(withTerminalAuth(Outcome.of({ authMethods: [method] }), self).json.value, {
      authMethods: [method],
    });
    const failure = Outcome.error(RpcError.internal("no"));
    assert.equal(withTerminalAuth(failure, self), failure);
  });
});
