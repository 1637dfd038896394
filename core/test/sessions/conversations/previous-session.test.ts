import assert from "node:assert/strict";
import { previousSessionServer } from "../../../src/sessions/conversations/previous-session.js";
import { Json } from "../../../src/base/rpc/json.js";
import { asObject } from "../../../src/base/rpc/json.js";
import { Talk } from "./talk.js";

const text = (value: string): object => ({ type: "content", content: { type: "text", text: value } });

function talk(): Talk {
  const talk = new Talk()
    .prompt("Use Redis 7.2, not Memcached, since it keeps order.")
    .say("I take Redis. ")
    .call({ kind: "execute", title: "Shell", rawInput: { command: "make check" }, content: [text("ok\n42 passed")] })
    .say("Done.")
    .end()
    .prompt("And the port?")
    .permission("rm -rf dist", "reject_once")
    .call({
      kind: "edit",
      title: "Write conf",
      content: [{ type: "diff", path: "/p/conf.toml", newText: "port = 6390\n" }],
    })
    .say("It is in conf.toml.")
    .end();
  for (let turn = 3; turn < 40; turn++) talk.prompt(`Further ${turn}`).say("Redis ".repeat(900)).end();
  return talk;
}

async function call(name: string, args: object): Promise<string> {
  const { records } = talk();
  const files = new Map([["/p/conf.toml", { exists: false }]]);
  const server = previousSessionServer({ records: () => records, filesNow: () => Promise.resolve(files) }, "1");
  const context = { signal: new AbortController().signal, notify: () => undefined };
  const outcome = await server.call("tools/call", Json.of({ name, arguments: args }), context);
  const content = outcome.json.object?.["content"];
  assert.ok(Array.isArray(content));
  return String(asObject(content[0])?.["text"]).replaceAll(/(?<=<\/?(?:user|agent)-)[\da-f]{8}/g, "K");
}

describe("previous_session", () => {
  it("finds the place with most of the words first, whoever said them", async () => {
    const [first] = (await call("search", { query: "why not memcached" })).split("\n");
    assert.equal(first, "turn 1, user: Use Redis 7.2, not Memcached, since it keeps order.");
    assert.equal(await call("search", { query: "42 passed" }), "turn 1, tool [t1c1]: Shell make check ok 42 passed");
    assert.match(await call("search", { query: "port = 6390" }), /^turn 2, tool \[t2c1\]: Write conf /);
    assert.match(await call("search", { query: "RM -RF" }), /^turn 2, user: permission: Shell rm -rf dist/);
    assert.equal(await call("search", { query: "zeppelin" }), 'No matches for "zeppelin".');
  });

  it("answers no more than 8 kB at once, and says where to go on", async () => {
    const found = await call("search", { query: "redis", limit: 20 });
    assert.ok(Buffer.byteLength(found) <= 8_000);
    const first = await call("read_turn", { turn: 39 });
    assert.ok(Buffer.byteLength(first) <= 8_000);
    assert.match(first, /^Turn 39\n\nUser:\n<user-K>\nFurther 39\n<\/user-K>\n\nAgent:\n<agent-K>\nRedis Redis/);
  });

  it("reads a turn, a call, the files and the commands", async () => {
    assert.equal(
      await call("read_turn", { turn: 2 }),
      "Turn 2\n\nUser:\n<user-K>\nAnd the port?\n</user-K>\n\n- Write conf (edit) /p/conf.toml +1 -0: ok [t2c1]\n\n" +
        "The user was asked: rm -rf dist — The one\n\nAgent:\n<agent-K>\nIt is in conf.toml.\n</agent-K>",
    );
    assert.equal(await call("read_call", { ref: "t1c1" }), 'Shell\n\n{"command":"make check"}\n\nok\n42 passed');
    assert.equal(await call("list_files", {}), "- `conf.toml` created +1 -0, turn 2, gone now");
    assert.equal(
      await call("list_commands", {}),
      "- rejected by the user: `rm -rf dist` (turn 2)\n- ok: `make check` → 42 passed [t1c1]",
    );
  });

  it("says what there is where something is asked for that is not", async () => {
    assert.equal(await call("read_turn", { turn: 99 }), "There is no turn 99. Turns go from 1 to 39.");
    assert.equal(await call("read_call", { ref: "t9c9" }), "There is no call t9c9; `search` finds them.");
  });
});
